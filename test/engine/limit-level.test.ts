/** The time that a level restores from the messages of earlier attempts. */
import { expect, test } from "vitest";
import { Level } from "../../src/engine/limits/level.ts";
import type { PlacedMessage } from "../../src/model/run/message.ts";

const at = (createdAt: number): PlacedMessage => ({
  ...{ position: createdAt, id: `m${createdAt}`, createdAt },
  message: { role: "user", content: "m" },
});

test.each([
  ["without a pause", [], 900],
  ["a pause between two messages does not count", [{ from: 200, until: 700 }], 400],
  ["a pause after the last message leaves the time before it", [{ from: 1_000, until: 60_000 }], 900],
  ["a pause before the first message, as a later member has", [{ from: 0, until: 90 }], 900],
  ["only the part of a pause between the messages is left out", [{ from: 0, until: 300 }], 700],
])("restored duration: %s", (_, pauses, expected) => {
  const level = new Level([], true, { monotonic: () => 0 });
  level.restore([at(100), at(1_000)], pauses);
  expect(level.duration).toBe(expected);
});
