import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  eachFrame,
  encodeFrames,
  frameData,
  frameName,
  framesBefore,
  framesFrom,
  toJsonLine,
  upgradeFrames,
} from "../../src/model/frame.ts";
import { toOlder } from "../support/older-logs.ts";

/** The characters, besides LF, at which Python's `str.splitlines` ends a line. */
const otherLineEnds = [..."\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029"];

/** The lines of a text for a client that splits it by the rules of Unicode. */
function linesOf(text: string): readonly string[] {
  return otherLineEnds.reduce((lines, end) => lines.flatMap((line) => line.split(end)), text.split("\n"));
}

const separators = fc.constantFrom(...otherLineEnds, "\n", "\\");
const content = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.array(fc.oneof(separators, fc.string({ maxLength: 3 }))).map((parts) => parts.join("")),
);
const log = fc.array(content, { minLength: 1, maxLength: 12 });

const encoded = (contents: readonly string[], first = 0): Buffer =>
  encodeFrames(
    first,
    contents.map((text) => ({ name: "RunContent", members: JSON.stringify({ content: text }).slice(1, -1) })),
  );

describe("stored frames", () => {
  test("a stored frame has three lines and an empty one under every rule for line ends, and its data parses to the event", () => {
    fc.assert(
      fc.property(log, fc.nat(1_000), (contents, first) => {
        const frames = [...eachFrame(encoded(contents, first))];
        expect(frames.length).toBe(contents.length);
        for (const [place, frame] of frames.entries()) {
          const lines = linesOf(frame.toString());
          expect(lines).toEqual([
            "event: RunContent",
            expect.stringMatching(/^data: /),
            `id: ${first + place}`,
            "",
            "",
          ]);
          expect(frameName(frame)).toBe("RunContent");
          expect(JSON.parse(frameData(frame))).toEqual({
            content: contents[place]?.toWellFormed(),
            event_index: first + place,
          });
        }
      }),
    );
  });

  test("frames of version 0.1.0 are upgraded to the current form, alone and mixed with others, and can be cut at any index", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(content, fc.boolean()), { minLength: 1, maxLength: 12 }),
        fc.nat(12),
        (all, cut) => {
          const today = encoded(all.map(([text]) => text));
          const frames = [...eachFrame(today)];
          const stored = frames.map((frame, place) => (all[place]?.[1] ? toOlder(frame) : frame));
          const read = upgradeFrames(Buffer.concat(stored));
          expect(read.toString()).toBe(today.toString());
          const index = Math.min(cut, all.length);
          expect(framesBefore(read, 0, index).toString()).toBe(Buffer.concat(frames.slice(0, index)).toString());
          expect(framesFrom(read, 0, index).toString()).toBe(Buffer.concat(frames.slice(index)).toString());
        },
      ),
    );
  });

  test("upgradeFrames returns current frames without a copy", () => {
    const frames = encoded(["id: 1\nevent: x\ndata: {}\n\n", "\n\nid: 2\n"]);
    expect(upgradeFrames(frames)).toBe(frames);
  });
});

test("toJsonLine returns one line under every rule for line ends", () => {
  fc.assert(
    fc.property(content, (text) => {
      expect(linesOf(toJsonLine({ text })).length).toBe(1);
      expect(JSON.parse(toJsonLine({ text }))).toEqual({ text: text.toWellFormed() });
    }),
  );
});
