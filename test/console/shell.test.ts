/** The frame of the console in a real browser: sign-in, navigation, prefixes, keyboard. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { inSeconds, makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { prefixProxy } from "./support/prefix-proxy.ts";
import { inBrowser, startConsole } from "./support/set-up.ts";

const greeter = defineAgent({ id: "greeter", name: "Greeting agent", model: scriptedModel(() => "Hello.") });
const rejected = /status of 401/;
const key = "an-operator-key-of-32-characters";

describe("the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  test("an open server needs no sign-in, and Home is accessible in both colour schemes", async () => {
    await using served = await startConsole({ agents: [greeter] });
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, check, checkAccessibility } = await openPage(browser, served.console, { colorScheme });
      await page.getByRole("heading", { name: "Home" }).waitFor();
      await page.getByText("Greeting agent").waitFor();
      await checkAccessibility();
      await expect.poll(() => page.title()).toBe("Home · Newsroom");
      check();
    }
  });

  test("a security key signs in; a wrong one shows the reason", async () => {
    await using served = await startConsole({ agents: [greeter] }, { OS_SECURITY_KEY: key });
    const { page, check, checkAccessibility } = await openPage(browser, served.console, { expected: [rejected] });
    await page.getByRole("dialog", { name: "Sign in" }).waitFor();
    await checkAccessibility();
    await page.getByLabel(/^Security key/).fill("wrong");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("Invalid authentication token").waitFor();
    await signIn(page, key);
    await page.getByText("Greeting agent").waitFor();
    check();
  });

  test("a rejected token opens the sign-in over the page, which continues after it", async () => {
    const pair = makePair();
    const authorization = { verificationKeys: [pair.pem], leewaySeconds: 0 };
    await using served = await startConsole({ agents: [greeter], authorization });
    const claims = { sub: "alice", scopes: ["sessions:read"] };
    const { page, check } = await openPage(browser, `${served.console}/sessions?name=Rome`, { expected: [rejected] });
    const exp = inSeconds(15);
    await signIn(page, token({ ...claims, exp }, pair));
    await page.getByText("No session matches the filters").waitFor();
    await page.waitForTimeout(Math.max(0, (exp + 1) * 1000 - Date.now()));
    await page.getByLabel("Name").fill("Paris");
    const dialog = page.getByRole("dialog", { name: "Sign in" });
    await dialog.getByText("The server no longer accepts your token.").waitFor();
    await expect.poll(() => page.getByText("No session matches the filters").count()).toBe(1);
    await signIn(page, token(claims, pair));
    expect(new URL(page.url()).searchParams.get("name")).toBe("Paris");
    await page.getByText("No session matches the filters").waitFor();
    check();
  });

  test("the navigation shows only screens that the caller's scopes permit", async () => {
    const pair = makePair();
    await using served = await startConsole({ agents: [greeter], authorization: { verificationKeys: [pair.pem] } });
    const { page, check } = await openPage(browser, served.console, { expected: [rejected] });
    await signIn(page, token({ sub: "alice", scopes: ["agents:greeter:read"] }, pair));
    await page.getByText("Greeting agent").waitFor();
    const navigation = page.getByRole("navigation", { name: "Screens" });
    await expect.poll(() => navigation.getByRole("link").allInnerTexts()).toEqual(["Home", "Chat", "Access"]);
    check();
  });

  test("a token stays in memory, unless the caller chooses the tab's session storage", async () => {
    await using served = await startConsole({ agents: [greeter] }, { OS_SECURITY_KEY: key });
    const { page, check } = await openPage(browser, served.console, { expected: [rejected] });
    await signIn(page, key);
    await page.getByText("Greeting agent").waitFor();
    await page.reload();
    await signIn(page, key, { keep: true });
    await page.reload();
    await page.getByText("Greeting agent").waitFor();
    await page.getByRole("button", { name: "Your account and preferences" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("dialog", { name: "Sign in" }).waitFor();
    await page.reload();
    await page.getByRole("dialog", { name: "Sign in" }).waitFor();
    check();
  });

  test("the command palette opens a screen with the keyboard alone, and the title takes the focus", async () => {
    await using served = await startConsole({ agents: [greeter] });
    const { page, check, checkAccessibility } = await openPage(browser, served.console);
    await page.getByText("Greeting agent").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await checkAccessibility();
    await page.keyboard.type("sess");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sessions", level: 1 }).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Sessions");
    check();
  });

  test("the console works below a prefix, also when a deep link is opened", async () => {
    await using served = await startConsole({ agents: [greeter] });
    await using proxy = await prefixProxy(served.url, "/tools/agents");
    for (const path of ["/console", "/console/", "/console/sessions", "/console/sessions/"]) {
      const { page, check } = await openPage(browser, proxy.url + path);
      await page.getByRole("navigation", { name: "Screens" }).getByText("Sessions").click();
      await page.getByText("No sessions yet").waitFor();
      expect(new URL(page.url()).pathname).toBe("/tools/agents/console/sessions");
      check();
    }
  });
});
