/** Pages of the console in a real browser: every error, violation of the policy and request to another host fails the test. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFailed } from "vitest";

export interface OpenPage {
  readonly page: Page;
  /** What went wrong in the page so far: script errors, failed requests, violations of the content security policy. */
  readonly faults: readonly string[];
  /** Fails if anything went wrong since the last check. */
  check(): void;
  /** Fails if a rule of axe is violated (WCAG 2.2 A and AA, and best practices). */
  checkAccessibility(): Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  /** Texts of faults that the test expects, such as a 401. */
  readonly expected?: readonly RegExp[];
  /** Hosts that the page may call in addition to its own. */
  readonly hosts?: readonly string[];
}

/** Opens a page in a context of its own, as a new visitor. If the test fails, its output says what the page shows. */
export async function openPage(browser: Browser, url: string, options: OpenOptions = {}): Promise<OpenPage> {
  const { expected = [], hosts = [], ...contextOptions } = options;
  const context = await browser.newContext({ reducedMotion: "reduce", ...contextOptions });
  const page = await context.newPage();
  const faults: string[] = [];
  const known = new Set([new URL(url).host, ...hosts]);
  const record = (fault: string): void => {
    if (!expected.some((pattern) => pattern.test(fault))) faults.push(fault);
  };
  page.on("console", (message) => {
    if (message.type() === "error" || /Content Security Policy/i.test(message.text()))
      record(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => record(error.message));
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    // The page itself ends requests whose answer it no longer needs.
    if (reason !== "net::ERR_ABORTED") record(`${request.url()}: ${reason}`);
  });
  page.on("request", (request) => {
    const { host, protocol } = new URL(request.url());
    if (/^https?:$/.test(protocol) && !known.has(host)) record(`A request went to ${host}: ${request.url()}`);
  });
  // Actions take milliseconds. The bound is for an element that never comes, on a machine that has other work to do.
  page.setDefaultTimeout(60_000);
  onTestFailed(async ({ task }) => {
    if (page.isClosed()) return;
    const errors = task.result?.errors?.map(({ message }) => message) ?? [];
    const shown = await page.locator("body").ariaSnapshot();
    // Not by console.error, whose lines are dropped if the second try passes.
    process.stderr.write([`Failed: ${task.name}`, ...errors, page.url(), ...faults, shown, ""].join("\n"));
  });
  await page.goto(url);
  return {
    page,
    faults,
    check: () => expect(faults.splice(0)).toEqual([]),
    async checkAccessibility() {
      const { violations } = await new AxeBuilder({ page })
        .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
        .analyze();
      const found = violations.map(({ id, help, nodes }) => ({
        id,
        help,
        nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => `${html} ${failureSummary}`),
      }));
      expect(found).toEqual([]);
    },
  };
}

/** Signs in with a token through the dialog. */
export async function signIn(page: Page, token: string, { keep = false } = {}): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Sign in" });
  await dialog.getByLabel(/^(Token|Security key)/).fill(token);
  if (keep) await dialog.getByLabel("Stay signed in while this tab is open").check();
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}
