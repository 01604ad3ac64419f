/** The translation of remote tasks to events of a local run, with missed, repeated and replaced updates. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { taskIn } from "../../src/engine/remote/a2a/parser.ts";
import { TaskTranslator } from "../../src/engine/remote/a2a/task-translator.ts";

type Told = { readonly event: string; readonly content?: string };

/** Returns a translator with the events that it emitted, as a connection uses it. */
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

/** Connections: each begins with a task record, a replay or the current position, and delivers some of the pieces after it. */
const connections = fc.array(
  fc.record({
    kind: fc.constantFrom("record", "replay", "now" as const),
    missed: fc.nat(3),
    pieces: fc.nat(5),
  }),
  { maxLength: 6 },
);

test("[L3] over any number of broken connections, the emitted text is always a prefix of the answer, and the whole answer at the end", () => {
  const words = fc.array(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 20 });
  const sometimes = fc.oneof(fc.constant(undefined), fc.nat(20));
  fc.assert(
    fc.property(words, connections, sometimes, (pieces, broken, taken) => {
      const answer = pieces.join("");
      // The log of a taken-over run contains a prefix of the answer.
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
          // A piece between the record and the following updates may be missing.
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

test("a stream without a gap is emitted piece by piece, with a line break between artifacts", () => {
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

test("text that the remote agent replaces and repeats is emitted once, and changed text only as the final answer", () => {
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
  "a task in the state %s becomes a RunError of type rejected with its reason",
  (state) => {
    const one = reader();
    const status = { state, message: { parts: [{ kind: "text", text: "No." }] } };
    one.take({ kind: "task", id: "t", contextId: "c", status });
    expect(one.last()).toMatchObject({ event: "RunError", content: "No.", error_type: "rejected" });
  },
);
