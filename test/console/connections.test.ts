/** The connected accounts of the console, in a real browser, with a real OAuth provider. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { type Accounts, openAccounts } from "../connections/support/accounts.ts";
import { Browser as Visitor } from "../connections/support/browser.ts";
import { callback, officeFor, publicUrl } from "../connections/support/office.ts";
import { launchBrowser } from "../support/browser.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const greeter = defineAgent({ id: "greeter", model: scriptedModel(() => "Hello.") });
const pair = makePair();
const scopes = ["agents:read", "agents:run", "sessions:read"];
const alice = token({ sub: "alice", scopes }, pair);

describe("the connected accounts of the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let accounts: Accounts;
  let served: ConsoleServer;

  beforeAll(async () => {
    accounts = await openAccounts(callback);
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    [browser, served] = await Promise.all([launchBrowser(), startConsole({ ...officeFor(accounts), authorization })]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
    await accounts?.[Symbol.asyncDispose]();
  });

  test("a caller connects an account with a link, and disconnects it", async () => {
    const { page, check, checkAccessibility } = await openPage(browser, served.console, {
      expected: [/status of 401/],
      colorScheme: "dark",
      viewport: { width: 390, height: 844 },
    });
    await signIn(page, alice);
    await page.getByRole("button", { name: "Your account and preferences" }).click();
    await page.getByRole("menuitem", { name: "Connected accounts" }).click();
    const row = page.getByRole("row").filter({ hasText: "Hub" });
    await row.getByText("not connected").waitFor();
    await checkAccessibility();
    await row.getByRole("button", { name: "Connect Hub" }).click();
    const dialog = page.getByRole("dialog", { name: "Connect Hub" });
    const link = (await dialog.getByRole("link", { name: "Open the link" }).getAttribute("href")) ?? "";
    expect(link.startsWith(`${publicUrl}/connections/hub/authorize?link=`)).toBe(true);
    await page.mouse.move(0, 0);
    await page.getByRole("tooltip").waitFor({ state: "detached" });
    await checkAccessibility();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await new Visitor({ [publicUrl]: served.url }).connect(link, "alice at hub");
    await row.getByText("connected", { exact: true }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await row.getByRole("button", { name: "Disconnect Hub" }).click();
    await page
      .getByRole("dialog", { name: "Disconnect Hub?" })
      .getByRole("button", { name: "Disconnect", exact: true })
      .click();
    await row.getByText("not connected").waitFor();
    const response = await fetch(`${served.url}/connections`, { headers: bearer(alice) });
    expect(await response.json()).toMatchObject([{ provider: "hub", connected: false }]);
    check();
  });

  test("a run that needs an account shows its link in the chat, and goes on when the account is connected", async () => {
    const carol = token({ sub: "carol", scopes }, pair);
    const { page, check, checkAccessibility } = await openPage(browser, `${served.console}/chat/agent/clerk`, {
      expected: [/status of 401/],
    });
    await signIn(page, carol);
    await page.getByRole("textbox", { name: /^Message to/ }).fill("1");
    await page.keyboard.press("Enter");
    const answer = page.getByRole("article").last();
    const connect = answer.getByRole("link", { name: "Connect hub" });
    await connect.waitFor();
    await checkAccessibility();
    const link = (await connect.getAttribute("href")) ?? "";
    await new Visitor({ [publicUrl]: served.url }).connect(link, "carol at hub");
    await answer.getByText("account of carol at hub").first().waitFor();
    check();
  });

  test("an operator without a user chooses the user, and a platform without providers shows how to define one", async () => {
    await using keyed = await startConsole(officeFor(accounts), { OS_SECURITY_KEY: "the key of the operator" });
    const { page, check } = await openPage(browser, `${keyed.console}/access?tab=connections`, {
      expected: [/status of 401/],
    });
    await signIn(page, "the key of the operator");
    await page.getByText("Your credential names no user").waitFor();
    expect(await page.getByRole("table").count()).toBe(0);
    await page.getByLabel("User").fill("ada");
    await page.getByRole("row").filter({ hasText: "Hub" }).getByText("not connected").waitFor();
    expect(new URL(page.url()).searchParams.get("user")).toBe("ada");
    check();
    await using plain = await startConsole({ agents: [greeter] });
    const other = await openPage(browser, `${plain.console}/access?tab=connections`);
    await other.page.getByText("This platform uses no accounts").waitFor();
    other.check();
  });
});
