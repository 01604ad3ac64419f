import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  hasCronFields,
  isCron,
  isTimezone,
  nextTick,
  secondsLast,
  ticksBefore,
} from "../../src/model/schedule/cron.ts";

/** The next ticks after a time, as texts. */
function next(cronExpr: string, timezone: string, after: string, count: number): string[] {
  const ticks: string[] = [];
  for (let at: number | null = Date.parse(after); ticks.length < count; ) {
    at = nextTick({ cronExpr, timezone }, at);
    if (at === null) break;
    ticks.push(new Date(at).toISOString().replace(".000", ""));
  }
  return ticks;
}

describe("isCron", () => {
  test.each(["0 9 * * *", "*/5 * * * *", "* * * * * */10", "@daily", "@HOURLY", " 0  9 * * 1-5 ", "0 0 29 2 *"])(
    "accepts %j",
    (text) => expect(isCron(text)).toBe(true),
  );
  test.each(["not cron", "", "* * * *", "* * * * * * *", "61 * * * *", "@reboot", "@once", "2026-01-01T00:00:00"])(
    "rejects %j",
    (text) => expect(isCron(text)).toBe(false),
  );
  test("rejects an expression that is never due", () => expect(isCron("0 0 30 2 *")).toBe(false));
});

test("hasCronFields accepts five or six fields and the aliases", () => {
  const whole = ["* * * * *", " 1  2 3 4 5 6 ", "@Daily", "a b c d e"];
  expect(whole.map(hasCronFields)).toEqual([true, true, true, true]);
  const none = ["", "* * *", "* * * * * * *", "@reboot", "@daily * * * *", "daily"];
  expect(none.map(hasCronFields)).toEqual(none.map(() => false));
});

test("secondsLast suggests seconds as the last field for an expression that looks like seconds first", () => {
  expect(secondsLast("*/10 * * * * *")).toBe("* * * * * */10");
  expect(secondsLast("0 */5 * * * *")).toBe("*/5 * * * * 0");
  expect(secondsLast(" 0  0 9 * * * ")).toBe("0 9 * * * 0");
  const unsuspected = ["* * * * * *", "* * * * * */10", "0 9 * * * 30", "*/10 * * * *", "@daily", "* * *"];
  expect(unsuspected.map(secondsLast)).toEqual(unsuspected.map(() => undefined));
});

test("isTimezone accepts names of the IANA database, and no offsets", () => {
  expect(["UTC", "Europe/Paris", "Etc/GMT+5", "America/Argentina/Buenos_Aires"].every(isTimezone)).toBe(true);
  expect(["Mars/Base", "+02:00", "", "Europe/ Paris", "x".repeat(64)].filter(isTimezone)).toEqual([]);
});

test("nextTick reads seconds from the sixth field", () => {
  expect(next("0 9 * * * 30", "UTC", "2026-01-01T00:00:00Z", 2)).toEqual([
    "2026-01-01T09:00:30Z",
    "2026-01-02T09:00:30Z",
  ]);
});

describe("nextTick at a local time that the clock change skips", () => {
  test("returns the moment of the change for a daily time", () => {
    expect(next("30 2 * * *", "Europe/Paris", "2026-03-28T12:00:00Z", 2)).toEqual([
      "2026-03-29T01:00:00Z",
      "2026-03-30T00:30:00Z",
    ]);
    expect(next("30 2,14 * * *", "America/New_York", "2026-03-08T05:00:00Z", 2)).toEqual([
      "2026-03-08T07:00:00Z",
      "2026-03-08T18:30:00Z",
    ]);
  });
  test("adds no tick for an expression that is due every half hour", () => {
    expect(next("*/30 * * * *", "Europe/Paris", "2026-03-29T00:10:00Z", 3)).toEqual([
      "2026-03-29T00:30:00Z",
      "2026-03-29T01:00:00Z",
      "2026-03-29T01:30:00Z",
    ]);
  });
  test("returns the moment of the change when midnight is skipped", () => {
    expect(next("30 0 * * *", "America/Santiago", "2026-09-05T12:00:00Z", 2)).toEqual([
      "2026-09-06T04:00:00Z",
      "2026-09-07T03:30:00Z",
    ]);
  });
});

describe("nextTick at a local time that the clock change repeats", () => {
  test("returns only the first occurrence for a daily time", () => {
    expect(next("30 2 * * *", "Europe/Paris", "2026-10-24T12:00:00Z", 2)).toEqual([
      "2026-10-25T00:30:00Z",
      "2026-10-26T01:30:00Z",
    ]);
  });
  test("returns both occurrences for an hourly expression", () => {
    expect(next("30 * * * *", "Europe/Paris", "2026-10-24T23:45:00Z", 3)).toEqual([
      "2026-10-25T00:30:00Z",
      "2026-10-25T01:30:00Z",
      "2026-10-25T02:30:00Z",
    ]);
  });
});

const expressions = fc.constantFrom(
  ...[
    "*/7 * * * *",
    "30 2 * * *",
    "15 1-3 * * *",
    "0 */5 * * *",
    "30 * * * *",
    "@daily",
    "0 3 1 * 0",
    "* * * * * */20",
  ],
);
const zones = fc.constantFrom("UTC", "Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu");
// Two years from the beginning of 2026: four changes of the clock.
const times = fc.integer({ min: 1_767_225_600, max: 1_830_297_600 }).map((seconds) => seconds * 1_000);

test("nextTick returns a later whole second, and no tick lies between a time and its next tick", () => {
  fc.assert(
    fc.property(expressions, zones, times, fc.integer({ min: 0, max: 999 }), (cronExpr, timezone, time, odd) => {
      const rhythm = { cronExpr, timezone };
      const tick = nextTick(rhythm, time + odd) as number;
      expect(tick).toBeGreaterThan(time + odd);
      expect(tick % 1_000).toBe(0);
      const between = Math.floor(time + (tick - time) / 2);
      if (between >= time + odd) expect(nextTick(rhythm, between)).toBe(between >= tick ? undefined : tick);
    }),
  );
});

test("ticksBefore returns the last ticks before a time, as nextTick returns them", () => {
  fc.assert(
    fc.property(expressions, zones, times, fc.integer({ min: 0, max: 999 }), (cronExpr, timezone, time, odd) => {
      const rhythm = { cronExpr, timezone };
      const before = ticksBefore(rhythm, { since: 0, before: time + odd, count: 4 });
      expect(before).toHaveLength(4);
      expect(before.at(-1)).toBeLessThan(time + odd);
      for (const [place, tick] of before.entries()) {
        const following = before[place + 1];
        const found = nextTick(rhythm, tick);
        if (following === undefined) expect(found).toBeGreaterThanOrEqual(time + odd);
        else expect(found).toBe(following);
      }
    }),
    { numRuns: 200 },
  );
});
