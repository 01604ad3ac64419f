/** The limit on failed authentication attempts per address, in bounded memory. */
import { expect, test } from "vitest";
import { FailedAttempts } from "../../src/auth/failed-attempts.ts";
import { testRuntime } from "../support/runtime.ts";

function attempts(): { fail: (address: string) => string; clock: { now: number } } {
  const clock = { now: 0 };
  const failed = new FailedAttempts({ clock: { ...testRuntime.clock, monotonic: () => clock.now } });
  const fail = (address: string): string => {
    const { status, retryAfter } = failed.countFailure(address, "wrong");
    return retryAfter === undefined ? String(status) : `${status} after ${retryAfter} s`;
  };
  return { fail, clock };
}

test("an address gets 401 for twenty failures a minute, and 429 for further ones", () => {
  const { fail, clock } = attempts();
  for (let count = 0; count < 20; count++) expect(fail("a")).toBe("401");
  clock.now += 20_000;
  expect(fail("a")).toBe("429 after 40 s");
  expect(fail("b")).toBe("401");
  clock.now += 39_999;
  expect(fail("a")).toBe("429 after 1 s");
  clock.now += 1;
  expect(fail("a")).toBe("401");
});

test("an address that keeps failing stays limited, however many other addresses fail", () => {
  const { fail } = attempts();
  for (let count = 0; count < 20; count++) fail("a");
  for (let other = 0; other < 5_000; other++) {
    fail(`other ${other}`);
    if (other % 500 === 0) expect(fail("a")).toBe("429 after 60 s");
  }
});

test("an address is forgotten after failures of 1,024 others", () => {
  const { fail } = attempts();
  for (let count = 0; count < 21; count++) fail("a");
  for (let other = 0; other < 1_024; other++) fail(`other ${other}`);
  expect(fail("a")).toBe("401");
});
