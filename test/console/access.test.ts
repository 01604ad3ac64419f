/** The screen with the caller's access and service accounts, in a real browser. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { bearer, inSeconds, makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const rejected = /status of 401/;
const greeter = defineAgent({ id: "greeter", model: scriptedModel(() => "Hello.") });
const pair = makePair();
const admin = token({ sub: "root", scopes: ["agent_os:admin"] }, pair);

describe("the access of the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;

  beforeAll(async () => {
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    [browser, served] = await Promise.all([launchBrowser(), startConsole({ agents: [greeter], authorization })]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  /** Opens a part of the screen as a caller. */
  async function openAs(caller: string, query = "", colorScheme: "light" | "dark" = "light") {
    const opened = await openPage(browser, `${served.console}/access${query}`, { colorScheme, expected: [rejected] });
    await signIn(opened.page, caller);
    return opened;
  }

  test("a caller sees its scopes and the routes that each of them opens", async () => {
    const scopes = ["sessions:read", "agents:greeter:run"];
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, check, checkAccessibility } = await openAs(token({ sub: "alice", scopes }, pair), "", colorScheme);
      await page.getByText("its own sessions and runs").waitFor();
      await page.getByRole("button", { name: /^agents:run only greeter/ }).click();
      await page.getByText("/agents/{agent_id}/runs (greeter)").first().waitFor();
      await page.getByRole("button", { name: /^sessions:read/ }).click();
      await page.getByText("GET /sessions", { exact: true }).waitFor();
      await expect.poll(() => page.getByRole("button", { name: /^traces:read/ }).count()).toBe(0);
      await expect.poll(() => page.getByRole("tab", { name: "Service accounts" }).count()).toBe(0);
      await checkAccessibility();
      check();
    }
  });

  test("the explainer decodes a token in the page, and sends it nowhere", async () => {
    const { page, check, checkAccessibility } = await openAs(admin, "?tab=token");
    const requests: string[] = [];
    const foreign = token({ sub: "bob", iss: "https://sso.example", scopes: ["agents:read"] }, makePair());
    await page.getByRole("textbox", { name: "Token" }).waitFor();
    page.on("request", (request) =>
      requests.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData()}`),
    );
    await page.getByRole("textbox", { name: "Token" }).fill(foreign);
    await page.getByText("The signature is not checked here").waitFor();
    await page.getByText("https://sso.example").first().waitFor();
    await page.getByRole("button", { name: /^agents:read/ }).click();
    await page.getByText("GET /agents", { exact: true }).waitFor();
    await expect.poll(() => page.getByRole("button", { name: /^sessions:read/ }).count()).toBe(0);
    await checkAccessibility();
    await page.getByRole("textbox", { name: "Token" }).fill(token({ sub: "bob", exp: inSeconds(-60) }, pair));
    await page.getByText("It has expired.").waitFor();
    await page.getByRole("textbox", { name: "Token" }).fill("not a token");
    await page.getByText("This is not a JSON Web Token").waitFor();
    await page.getByRole("textbox", { name: "Token" }).fill("agno_pat_abc");
    await page.getByText("It looks like the token of a service account").waitFor();
    await page.getByRole("button", { name: "Explain my own token" }).click();
    await page.getByText("This is your own token").waitFor();
    expect(requests.filter((request) => request.includes(foreign))).toEqual([]);
    expect(page.url()).not.toContain("eyJ");
    check();
  });

  test("a created account's token works until it is revoked, and is shown once", async () => {
    const { page, check, checkAccessibility } = await openAs(admin, "?tab=accounts");
    await page.getByText("No service accounts").waitFor();
    await checkAccessibility();
    await page.getByRole("button", { name: "Create a service account" }).click();
    const dialog = page.getByRole("dialog", { name: "Create a service account" });
    await dialog.getByLabel("Name").fill("Not a name");
    await expect.poll(() => dialog.getByRole("button", { name: "Create", exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel("Name").fill("ci");
    await dialog.getByRole("combobox", { name: "Scopes" }).fill("sessions:delete");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await expect.poll(() => dialog.getByRole("button", { name: "Create", exact: true }).isDisabled()).toBe(true);
    await page.getByRole("listbox").waitFor({ state: "hidden" });
    await checkAccessibility();
    await dialog.getByLabel(/^The account may change or delete data.*sessions:delete/).check();
    await dialog.getByRole("button", { name: "Create", exact: true }).click();
    const shown = page.getByRole("dialog", { name: "Copy the token now" });
    const secret = (await shown.getByTestId("token").textContent())?.trim() ?? "";
    expect(secret).toMatch(/^agno_pat_/);
    await checkAccessibility();
    const status = async (): Promise<number> =>
      (await fetch(`${served.url}/sessions`, { headers: bearer(secret) })).status;
    expect(await status()).toBe(200);
    await shown.getByRole("button", { name: "I have stored the token" }).click();
    await page.getByRole("row").filter({ hasText: "ci" }).getByText("Active").waitFor();
    await page.reload();
    await signIn(page, admin);
    await page.getByRole("button", { name: "Revoke ci" }).click();
    expect((await page.content()).includes(secret)).toBe(false);
    await page
      .getByRole("dialog", { name: "Revoke this service account?" })
      .getByRole("button", { name: "Revoke" })
      .click();
    await page.getByText("No service accounts").waitFor();
    expect(await status()).toBe(401);
    await page.getByLabel("Show revoked accounts").check();
    await page.getByRole("row").filter({ hasText: "ci" }).getByText("Revoked").waitFor();
    expect(new URL(page.url()).searchParams.get("show")).toBe("all");
    check();
  });

  test("a caller may grant only scopes that it holds, and a caller without the scopes of the routes sees no actions", async () => {
    const scopes = ["service_accounts:read", "service_accounts:write", "agents:run"];
    const { page, check } = await openAs(token({ sub: "alice", scopes }, pair), "?tab=accounts");
    await page.getByRole("button", { name: "Create a service account" }).click();
    const dialog = page.getByRole("dialog", { name: "Create a service account" });
    await dialog.getByLabel("Name").fill("bot");
    const field = dialog.getByRole("combobox", { name: "Scopes" });
    await field.fill("sessions:read");
    await page.keyboard.press("Enter");
    await dialog.getByText("You do not hold sessions:read.").waitFor();
    await expect.poll(() => dialog.getByRole("button", { name: "Create", exact: true }).isDisabled()).toBe(true);
    await page.keyboard.press("Backspace");
    await field.fill("agents:greeter:run");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await dialog.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("button", { name: "I have stored the token" }).click();
    const reader = await openAs(token({ sub: "root", scopes: ["service_accounts:read"] }, pair), "?tab=accounts");
    await reader.page.getByRole("switch", { name: "Show revoked accounts" }).waitFor();
    await expect.poll(() => reader.page.getByRole("button", { name: /^(Create|Revoke)/ }).count()).toBe(0);
    check();
    reader.check();
  });

  test("an open server says that service accounts need authorization", async () => {
    await using open = await startConsole({ agents: [greeter] });
    const { page, check } = await openPage(browser, `${open.console}/access?tab=accounts`);
    await page.getByText("This server is open").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Create a service account" }).count()).toBe(0);
    check();
  });
});
