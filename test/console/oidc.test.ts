/** Sign-in to the console with an OpenID Connect provider. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { openPage } from "./support/browser.ts";
import { openIdentityProvider } from "./support/identity-provider.ts";
import { inBrowser, startConsole } from "./support/set-up.ts";

const greeter = defineAgent({ id: "greeter", model: scriptedModel(() => "Hello.") });
/** The development pages of the provider load a font of another host. */
const expected = [/status of 401/, /fonts\.googleapis\.com/, /favicon\.ico/];

describe("sign-in with OpenID Connect (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  test("returns to the page that was open, and the token opens what its scopes permit", async () => {
    await using provider = await openIdentityProvider("newsroom", ["sessions:read"]);
    const { issuer } = provider;
    await using served = await startConsole({
      agents: [greeter],
      authorization: { issuers: [{ issuer, audience: "newsroom" }] },
      console: { oidc: { issuer, clientId: "console" } },
    });
    provider.register(`${served.console}/signed-in`);
    const { page, check } = await openPage(browser, `${served.console}/sessions?name=Rome`, {
      expected,
      hosts: [new URL(issuer).host],
    });
    await page.getByRole("button", { name: "Sign in with 127.0.0.1" }).click();
    await page.getByPlaceholder("Enter any login").fill("alice");
    await page.getByPlaceholder("and password").fill("anything");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("No session matches the filters").waitFor();
    expect(page.url()).toBe(`${served.console}/sessions?name=Rome`);
    const links = page.getByRole("navigation", { name: "Screens" }).getByRole("link");
    await expect
      .poll(() => links.allInnerTexts())
      .toEqual(["Home", "Runs", "Sessions", "Approvals", "Usage", "Access"]);
    await page.getByRole("button", { name: "Your account and preferences" }).click();
    await page.getByText("alice").waitFor();
    check();
  });

  test("a forged answer of the provider is rejected with the reason", async () => {
    await using provider = await openIdentityProvider("newsroom", []);
    const { issuer } = provider;
    await using served = await startConsole({
      agents: [greeter],
      authorization: { issuers: [{ issuer, audience: "newsroom" }] },
      console: { oidc: { issuer, clientId: "console" } },
    });
    provider.register(`${served.console}/signed-in`);
    const { page } = await openPage(browser, `${served.console}/signed-in?code=stolen&state=x`, { expected });
    await page.getByText("This tab has begun no sign-in.").waitFor();
  });
});
