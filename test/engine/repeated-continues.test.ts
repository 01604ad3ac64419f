/** Repetitions of a continue that arrive while it is in progress. */
import { expect, test } from "vitest";
import { continuePaused } from "../../src/engine/pause/continuation.ts";
import { open } from "../../src/model/principal.ts";
import type { Mark } from "../../src/store/contract/store.ts";
import { testRuntime } from "../support/runtime.ts";

/** Parts whose run is continued by another request, and pauses again, after the keys of both requests were reserved. */
function partsOfRace() {
  const pause = { requirements: [{ id: "second", tool_execution: { tool_call_id: "second", tool_name: "pay" } }] };
  const run = {
    key: 1,
    runId: "r",
    kind: "agent",
    componentId: "a",
    status: "PAUSED",
    output: JSON.stringify({ pause }),
  };
  const reserved: { digest: string; at: number }[] = [];
  const released: unknown[] = [];
  let hasContinued = false;
  const marks = (): readonly Partial<Mark>[] => {
    const [first] = reserved;
    return hasContinued && first
      ? [{ runKey: 1, name: `continued:${first.digest}/${first.at}`, body: JSON.stringify({ cursor: 3 }) }]
      : [];
  };
  const store = {
    reserveIdempotencyKey: async (reservation: { digest: string; at: number }) => {
      reserved.push(reservation);
      return reservation;
    },
    releaseIdempotencyKey: async (release: unknown) => void released.push(release),
    marks: async () => marks(),
    head: async () => {
      hasContinued = true;
      return { nextIndex: 9, attempt: 2 };
    },
    findRun: async () => run,
    approvalsOf: async () => [],
  };
  const parts = { store, runtime: testRuntime, settings: { idempotencyDuration: 1_000 }, components: {} };
  return { parts: parts as unknown as Parameters<typeof continuePaused>[0], released };
}

test("a continue whose repetition was stored first is repeated and keeps its key, even if the run waits for other answers by now", async () => {
  const { parts, released } = partsOfRace();
  const continuation = await continuePaused(
    parts,
    open,
    { key: 1, runId: "r" },
    {
      ...{ stepAnswers: [], callAnswers: [], field: "data", bearer: undefined },
      ...{ answerer: { userId: null, mayApprove: true }, idempotency: { key: "k", fingerprint: "f" } },
    },
  );
  expect(continuation).toEqual({ cursor: 3, isRepeated: true });
  expect(released).toEqual([]);
});
