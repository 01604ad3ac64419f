/** Callers' tokens that runs forward to remote servers. */
import { expect, test } from "vitest";
import { remoteAgent } from "../../src/define/remote.ts";
import { Bearers } from "../../src/engine/remote/bearers.ts";
import type { Clock } from "../../src/model/runtime.ts";

test("an expired token is dropped when an older run's token was renewed", () => {
  let now = 0;
  const clock = { monotonic: () => now } as Clock;
  const bearers = new Bearers(clock, [remoteAgent({ id: "guide", url: "https://agents.example" })]);
  bearers.keep(1, "old");
  bearers.keep(2, "expires");
  now = 3_000_000;
  bearers.keep(1, "renewed");
  now = 3_700_000;
  bearers.keep(3, "new");
  expect([bearers.take(1), bearers.take(2), bearers.take(3)]).toEqual(["renewed", undefined, "new"]);
});
