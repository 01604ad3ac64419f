/** Tasks of other servers as events of a run here, whatever is missed, repeated or taken back on the way. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { taskIn } from "../../src/engine/remote/a2a/parser.ts";
import { TaskTranslator } from "../../src/engine/remote/a2a/task-translator.ts";

type Told = { readonly event: string; readonly content?: string };

/** A reader of items, as a connection here is one. */
function reader(earlier?: string) {
  const run = { runId: "t", sessionId: "c" };
  const telling = new TaskTranslator(0, earlier === undefined ? undefined : { run, emittedText: earlier });
  const told: Told[] = [];
  const add = (events: Iterable<{ readonly data: string }>): void => {
    for (const { data } of events) told.push(JSON.parse(data));
  };
  return {
    telling,
    take: (item: object) => add(telling.take(taskIn(item)!)),
    end: (item: object) => add(telling.end(taskIn(item)!)),
    text: () => told.flatMap(({ event, content = "" }) => (event === "RunContent" ? [content] : [])).join(""),
    last: () => told.at(-1),
    told,
  };
}

const record = (text: string, state = "working") => ({
  ...{ kind: "task", id: "t", contextId: "c", status: { state } },
  artifacts: text === "" ? [] : [{ artifactId: "a", parts: [{ kind: "text", text }] }],
});
const piece = (text: string, append: boolean, artifactId = "a") => ({
  ...{ kind: "artifact-update", taskId: "t", contextId: "c", append },
  artifact: { artifactId, parts: [{ kind: "text", text }] },
});
const status = (state: string) => ({ kind: "status-update", taskId: "t", contextId: "c", status: { state } });

/** Connections: each begins as its server would have it, and brings some of the pieces from where it begins. */
const connections = fc.array(
  fc.record({
    kind: fc.constantFrom("record", "replay", "now" as const),
    missed: fc.nat(3),
    pieces: fc.nat(5),
  }),
  { maxLength: 6 },
);

test("[L3] what is told is the beginning of the answer at any time, however often connections break, and the whole one at the end", () => {
  const words = fc.array(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 20 });
  const sometimes = fc.oneof(fc.constant(undefined), fc.nat(20));
  fc.assert(
    fc.property(words, connections, sometimes, (pieces, broken, taken) => {
      const answer = pieces.join("");
      // Of a run that is taken up the log has some beginning of the answer.
      const here = reader(taken === undefined ? undefined : answer.slice(0, taken));
      const text = (): string => answer.slice(0, taken ?? 0) + here.text();
      let at = 0;
      if (taken === undefined) here.take(record("", "submitted"));
      for (const { kind, missed, pieces: most } of broken) {
        here.telling.markGap();
        if (kind === "replay") at = 0;
        else {
          at = Math.min(at + missed, pieces.length);
          if (kind === "record") here.take(record(pieces.slice(0, at).join("")));
          // Between the record and what comes after it there may be something that nobody tells.
          at = Math.min(at + (most % 2), pieces.length);
        }
        for (const end = Math.min(at + most, pieces.length); at < end; at++) here.take(piece(pieces[at]!, at > 0));
        expect(answer.startsWith(text())).toBe(true);
      }
      here.telling.markGap();
      here.take(status("completed"));
      expect([here.telling.isOver, here.telling.needsRecord]).toEqual([false, true]);
      here.end(record(answer, "completed"));
      expect(here.last()).toMatchObject({ event: "RunCompleted", content: answer });
      expect(text()).toBe(answer);
    }),
  );
});

test("a stream without a gap is told piece by piece, several things one below the other", () => {
  const here = reader();
  here.take(record("", "submitted"));
  for (const [text, append, id] of [
    ["a", false, "x"],
    ["b", true, "x"],
    ["c", false, "y"],
    ["d", true, "y"],
  ] as const)
    here.take(piece(text, append, id));
  here.take(status("completed"));
  expect(here.told.map(({ event, content }) => [event, content])).toEqual([
    ["RunStarted", undefined],
    ["RunContent", "a"],
    ["RunContent", "b"],
    ["RunContent", "\nc"],
    ["RunContent", "d"],
    ["RunCompleted", "ab\ncd"],
  ]);
});

test("what is taken back and said again is told once; what is said differently then, by the answer alone", () => {
  const here = reader();
  for (const [text, append] of [
    ["Hel", false],
    ["lo", true],
    ["", false],
    ["Hell", true],
    ["o Ada", true],
    ["", false],
    ["Goodbye", true],
  ] as const)
    here.take(piece(text, append));
  here.take(status("completed"));
  expect(here.told.map(({ content }) => content)).toEqual([undefined, "Hel", "lo", " Ada", "Goodbye"]);
  expect(here.last()).toMatchObject({ event: "RunCompleted", content: "Goodbye" });
});

test.each(["rejected", "TASK_STATE_REJECTED"])(
  "a task in the state %s is a failed run that was rejected, with its reason",
  (state) => {
    const one = reader();
    const status = { state, message: { parts: [{ kind: "text", text: "No." }] } };
    one.take({ kind: "task", id: "t", contextId: "c", status });
    expect(one.last()).toMatchObject({ event: "RunError", content: "No.", error_type: "rejected" });
  },
);
