import { expect, test } from "vitest";
import { RelayedLog, relayField, relayOriginOf } from "../../src/engine/run/relayed-log.ts";
import { encodeFrames } from "../../src/model/frame.ts";

const frame = (fields: object): Buffer =>
  encodeFrames(7, [{ name: "RunContent", members: JSON.stringify(fields).slice(1, -1) }]);

test("relayOriginOf returns the remote run id and index of a stored event", () => {
  const mark = { runId: "3f0c", index: 41 };
  expect(relayOriginOf(frame({ content: "é".repeat(1_000), ...relayField(mark) }))).toEqual({ ...mark, here: 7 });
  const unplaced = { runId: "3f0c", index: undefined };
  expect(relayOriginOf(frame({ content: "", ...relayField(unplaced) }))).toEqual({ ...unplaced, here: 7 });
});

test("relayOriginOf ignores the same text in content and in other fields", () => {
  const text = ',"relayed":{"run_id":"x","event_index":9},"event_index":7}\n\n';
  const { relayed } = relayField({ runId: "x", index: 9 });
  for (const fields of [
    { content: text },
    { content: text.slice(0, -2) },
    { relayed, content: "" },
    { tool: { relayed } },
  ])
    expect(relayOriginOf(frame(fields))).toBeUndefined();
});

test("discardFrom returns the local index after the last step before the remote index", () => {
  const log = new RelayedLog();
  expect([log.last, log.discardFrom(5)]).toEqual([-1, 0]);
  for (const [there, here, isStep] of [
    [0, 10, true],
    [1, 14, false],
    [2, 15, true],
    [3, 19, false],
  ] as const)
    log.take(there, here, isStep);
  expect(log.last).toBe(3);
  expect([1, 2, 3, 9].map((there) => log.discardFrom(there))).toEqual([11, 11, 16, 16]);
});
