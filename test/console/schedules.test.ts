/** The screens of schedules, in a real browser. */
import { setTimeout as wait } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { nextTicks } from "../../console/src/screens/schedules/cron.ts";
import { defineAgent } from "../../src/define/agent.ts";
import { nextTick } from "../../src/model/schedule/cron.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { openPage, signIn } from "./support/browser.ts";
import { type ConsoleServer, inBrowser, startConsole } from "./support/set-up.ts";

const greeter = defineAgent({
  id: "greeter",
  name: "Greeter",
  model: scriptedModel(async ({ message }) => {
    if (message === "slow") await wait(4_000);
    return `Hello, ${message}.`;
  }),
});
const morning = {
  name: "from-code",
  cronExpr: "0 9 * * 1-5",
  timezone: "Europe/Paris",
  endpoint: "/agents/greeter/runs",
  payload: { message: "What is new?" },
};

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Any = any;

async function create(served: ConsoleServer, fields: Record<string, unknown>, headers = {}): Promise<Any> {
  const body = { cron_expr: "0 0 1 1 *", endpoint: "/agents/greeter/runs", payload: { message: "you" }, ...fields };
  const response = await fetch(`${served.url}/schedules`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
  return await response.json();
}

const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const act = async (page: Page, name: string, action: string) => {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
};

describe("the preview of ticks", () => {
  test.for([
    ["30 2 * * *", "Europe/Paris"],
    ["*/20 1-3 * * *", "America/New_York"],
    ["0 12 * * 1-5", "Australia/Lord_Howe"],
    ["* * * * * */10", "UTC"],
    ["0 0 29 2 *", "UTC"],
    ["@weekly", "Asia/Kathmandu"],
  ] as const)("ticks of %s in %s are those of the server, also when the clocks change", ([cronExpr, timezone]) => {
    for (const start of [
      "2027-03-13T00:00:00Z",
      "2027-03-27T12:00:00Z",
      "2027-10-30T12:00:00Z",
      "2027-11-06T12:00:00Z",
    ]) {
      const expected: number[] = [];
      let at = Date.parse(start);
      while (expected.length < 10) {
        at = nextTick({ cronExpr, timezone }, at) ?? Number.NaN;
        expected.push(at);
      }
      const preview = nextTicks(cronExpr, timezone, new Date(start), 10);
      expect("ticks" in preview && preview.ticks.map((tick) => tick.getTime())).toEqual(expected);
    }
  });

  test("an expression that the server rejects has a reason instead of ticks", () => {
    for (const cronExpr of ["", "* * *", "61 * * * *", "@never", "0 0 30 2 *", "* * * * * * *"])
      expect(nextTicks(cronExpr, "UTC", new Date(), 10)).toHaveProperty("fault");
  });
});

describe("the schedules of the console (skipped without Chromium: CHROMIUM_PATH)", inBrowser, () => {
  let browser: Browser;
  let served: ConsoleServer;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  // A second attempt of a test must not find the data of the first.
  beforeEach(async () => {
    await served?.[Symbol.asyncDispose]();
    served = await startConsole({ agents: [greeter], schedules: [morning] });
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  const open = (path = "", options = {}) =>
    openPage(browser, `${served.console}/schedules${path}`, { timezoneId: "America/New_York", ...options });

  test("the keyboard alone creates a schedule, with ten ticks in both time zones", async () => {
    const { page, check, checkAccessibility } = await open();
    await page.getByRole("button", { name: "New schedule" }).first().focus();
    await page.keyboard.press("Enter");
    const form = page.getByRole("dialog", { name: "New schedule" });
    await form.getByLabel("Name").waitFor();
    await page.keyboard.type("by-keyboard");
    const focused = (): Promise<unknown> =>
      page.evaluate(
        "(document.activeElement.labels?.[0] ?? document.activeElement).textContent.replace(' *', '').trim()",
      );
    const tabTo = async (label: string): Promise<void> => {
      for (let steps = 0; steps < 20; steps++) {
        if ((await focused()) === label) return;
        await page.keyboard.press("Tab");
      }
      await expect.poll(focused).toBe(label);
    };
    await tabTo("Component");
    await page.keyboard.type("Greet");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await tabTo("Message");
    await page.keyboard.type("world");
    await tabTo("Cron expression");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("0 12 1 * *");
    await tabTo("Time zone");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Europe/Paris");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const ticks = form.getByRole("table", { name: "Next ticks" });
    await ticks.getByRole("columnheader", { name: "Europe/Paris" }).waitFor();
    await ticks.getByRole("columnheader", { name: "Your time (America/New_York)" }).waitFor();
    await expect.poll(() => ticks.getByRole("row").count()).toBe(11);
    await form.getByText(/^The clocks of Europe\/Paris change between tick/).waitFor();
    const zoned = await ticks
      .getByRole("cell")
      .filter({ hasText: /12:00 GMT\+[12]$/ })
      .count();
    expect(zoned).toBe(10);
    await checkAccessibility();
    await tabTo("Create");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "by-keyboard", level: 1 }).waitFor();
    const { data }: Any = await (await fetch(`${served.url}/schedules`)).json();
    expect(data.find(({ name }: Any) => name === "by-keyboard")).toMatchObject({
      cron_expr: "0 12 1 * *",
      timezone: "Europe/Paris",
      endpoint: "/agents/greeter/runs",
      payload: { message: "world" },
    });
    check();
  });

  test("faults of the server are shown at their fields", async () => {
    await create(served, { name: "taken" });
    const { page, check } = await open("?create=true", { expected: [/status of (409|422)/] });
    const form = page.getByRole("dialog", { name: "New schedule" });
    await form.getByRole("button", { name: "Create" }).click();
    await form.getByText("Enter a name.").waitFor();
    await form.getByLabel("Name").fill("taken");
    await form.getByText("Calls a path").click();
    await form.getByRole("textbox", { name: "Path" }).fill("/agents/nobody/runs");
    await form.getByRole("button", { name: "Create" }).click();
    await form
      .getByText(/this platform has no|not found|nobody/)
      .first()
      .waitFor();
    await form.getByText("Starts a run").click();
    await form.getByRole("combobox", { name: "Component" }).click();
    await page.getByRole("option", { name: "Greeter (agent)" }).click();
    await form.getByLabel("Message").fill("you");
    await form.getByLabel("Cron expression").fill("99 * * * *");
    await form.getByRole("button", { name: "Create" }).click();
    await form.getByText("Invalid cron expression: 99 * * * *").waitFor();
    await form.getByLabel("Cron expression").fill("0 9 * * *");
    await form.getByRole("button", { name: "Create" }).click();
    await form.getByText("Schedule with name 'taken' already exists").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.value")).toBe("taken");
    check();
  });

  test("a schedule is changed, paused, enabled, fired and deleted", async () => {
    const { id } = await create(served, {
      name: "steered",
      timezone: "Asia/Tokyo",
      payload: { message: "you", user_id: "ada" },
    });
    const { page, check, checkAccessibility } = await open(`/${id}`, { colorScheme: "dark" });
    await page.getByRole("button", { name: "Fire now" }).click();
    await page.getByText("steered fired: success.").waitFor();
    await row(page, "fired by hand").getByText("success").waitFor();
    await checkAccessibility();
    await page.getByRole("button", { name: "Change" }).click();
    const form = page.getByRole("dialog", { name: "Change steered" });
    await expect.poll(() => form.getByLabel("Message").inputValue()).toBe("you");
    await form.getByLabel("Cron expression").fill("@daily");
    await form.getByRole("button", { name: "More options" }).click();
    await form.getByLabel("Max retries").fill("2");
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });
    await page.getByText("@daily").first().waitFor();
    expect(await (await fetch(`${served.url}/schedules/${id}`)).json()).toMatchObject({
      cron_expr: "@daily",
      timezone: "Asia/Tokyo",
      max_retries: 2,
      payload: { message: "you", user_id: "ada" },
    });
    await page.getByRole("navigation", { name: "Screens" }).getByText("Schedules").click();
    await act(page, "steered", "Pause");
    await row(page, "steered").getByText("paused").waitFor();
    await page.getByRole("combobox", { name: "State" }).click();
    await page.getByRole("option", { name: "paused" }).click();
    await expect.poll(() => row(page, "from-code").count()).toBe(0);
    await act(page, "steered", "Enable");
    await page.getByText("No schedule has this state").waitFor();
    await page.goto(`${served.console}/schedules`);
    await act(page, "steered", "Delete");
    await page.getByRole("dialog", { name: "Delete this schedule?" }).getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => row(page, "steered").count()).toBe(0);
    expect((await fetch(`${served.url}/schedules/${id}`)).status).toBe(404);
    check();
  });

  test("the history has planned and actual times, and skipped ticks", async () => {
    const { id } = await create(served, { name: "busy", cron_expr: "* * * * * *", payload: { message: "slow" } });
    const { page, check, checkAccessibility } = await open(`/${id}`);
    await row(page, "skipped").first().waitFor();
    await fetch(`${served.url}/schedules/${id}/disable`, { method: "POST" });
    await row(page, "success").first().waitFor({ timeout: 60_000 });
    await checkAccessibility();
    await row(page, "success").first().getByRole("link", { name: /^Run / }).click();
    await page.waitForURL(/\/console\/runs\/agent\/greeter\/[^/?]+\?session=/);
    check();
  });

  test("a schedule of the code can be paused, and neither changed nor deleted", async () => {
    const { page, check } = await open();
    await row(page, "from-code").getByText("in code").waitFor();
    await page.getByRole("button", { name: "Actions for from-code" }).click();
    await page.getByRole("menuitem", { name: "Pause" }).waitFor();
    await expect.poll(() => page.getByRole("menuitem").allInnerTexts()).toEqual(["Fire now", "Pause"]);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "from-code" }).click();
    await page.getByText("changed only in the code").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Change" }).count()).toBe(0);
    check();
  });

  describe("with authorization", () => {
    const pair = makePair();
    const scopes = ["agents:run", "schedules:read", "schedules:write", "schedules:delete"];
    const expected = [/status of 401/];
    let guarded: ConsoleServer;

    beforeAll(async () => {
      const authorization = { verificationKeys: [pair.pem], userIsolation: true };
      guarded = await startConsole({ agents: [greeter], authorization });
      for (const sub of ["ada", "bob"])
        await create(guarded, { name: `of-${sub}` }, bearer(token({ sub, scopes }, pair)));
    });
    afterAll(() => guarded?.[Symbol.asyncDispose]());

    test("a user sees only its own schedules", async () => {
      const { page, check } = await openPage(browser, `${guarded.console}/schedules`, { expected });
      await signIn(page, token({ sub: "ada", scopes }, pair));
      await row(page, "of-ada").waitFor();
      await expect.poll(() => row(page, "of-bob").count()).toBe(0);
      check();
    });

    test("a read-only caller sees schedules and no action", async () => {
      const { page, check, checkAccessibility } = await openPage(browser, `${guarded.console}/schedules`, { expected });
      await signIn(page, token({ sub: "bob", scopes: ["schedules:read"] }, pair));
      await row(page, "of-bob").waitFor();
      await expect.poll(() => page.getByRole("button", { name: /^(Actions for|New schedule)/ }).count()).toBe(0);
      await page.getByRole("link", { name: "of-bob" }).click();
      await page.getByRole("heading", { name: "of-bob", level: 1 }).waitFor();
      await expect.poll(() => page.getByRole("button", { name: /^(Fire now|Change|Actions for)/ }).count()).toBe(0);
      await checkAccessibility();
      check();
    });
  });
});
