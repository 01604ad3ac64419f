/** A change that the server rejects because the token has expired. */
import { expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { bearer, inSeconds, makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { inBrowser, startConsole } from "./support/set-up.ts";

const greeter = defineAgent({ id: "greeter", model: scriptedModel(() => "Hello.") });

test("a change with an expired token waits for the sign-in, and is then made once", inBrowser, async () => {
  const pair = makePair();
  const authorization = { verificationKeys: [pair.pem], leewaySeconds: 0 };
  await using served = await startConsole({ agents: [greeter], authorization });
  const claims = { sub: "alice", scopes: ["agents:greeter:run", "sessions:read", "sessions:write"] };
  const headers = bearer(token(claims, pair));
  const body = new URLSearchParams({ message: "Hello", stream: "false", session_id: "day" });
  expect((await fetch(`${served.url}/agents/greeter/runs`, { method: "POST", body, headers })).status).toBe(200);
  const browser = await launchBrowser();
  try {
    const { page, check } = await openPage(browser, `${served.console}/sessions/day`, { expected: [/status of 401/] });
    const exp = inSeconds(15);
    await signIn(page, token({ ...claims, exp }, pair));
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Trip to Rome");
    const statuses: number[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/rename")) statuses.push(response.status());
    });
    await page.waitForTimeout(Math.max(0, (exp + 1) * 1000 - Date.now()));
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await page.getByText("The server no longer accepts your token.").waitFor();
    await signIn(page, token(claims, pair));
    await page.getByRole("heading", { name: "Trip to Rome", level: 1 }).waitFor();
    expect(statuses).toEqual([401, 200]);
    check();
  } finally {
    await browser.close();
  }
});
