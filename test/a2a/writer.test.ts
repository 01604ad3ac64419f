/** A run's log as an A2A stream: the frames are the same for every cursor and every split of the log. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventForm } from "../../src/engine/run/event-form.ts";
import { afterEvent, beginning, type Cursor, parseCursor } from "../../src/http/streams/frame-cursor.ts";
import type { A2aEvent } from "../../src/interfaces/a2a/protocol.ts";
import { platformTranslator } from "../../src/interfaces/a2a/stream/platform-translator.ts";
import { standardTranslator } from "../../src/interfaces/a2a/stream/standard-translator.ts";
import type { Translator } from "../../src/interfaces/a2a/stream/translator.ts";
import { StreamWriter } from "../../src/interfaces/a2a/stream/writer.ts";
import { stateName, toStreamItem } from "../../src/interfaces/a2a/version-1.ts";
import { encodeFrames, toJsonLine } from "../../src/model/frame.ts";
import type { Media } from "../../src/model/run/message.ts";

const taskId = "11111111-1111-4111-8111-111111111111";
const memberId = "22222222-2222-4222-8222-222222222222";
const name = { taskId, contextId: "context" };
let now = 1_763_000_000_000;
const clock = { now: () => now } as ConstructorParameters<typeof EventForm>[0];
const origin = { runId: taskId, parentRunId: undefined, sessionId: "context" };
const own = new EventForm(clock, { ...origin, component: { kind: "agent", id: "a", name: 'An "agent","x"' } });
const member = new EventForm(clock, {
  ...{ component: { kind: "team", id: "m", name: "Member" }, sessionId: "context" },
  ...{ runId: memberId, parentRunId: taskId },
});

type Step = readonly [EventForm, string, Record<string, unknown>];
const piece = (content: unknown, form = own): Step => [
  ...([form, "RunContent"] as const),
  { content, workflow_agent: false, content_type: "str", reasoning_content: "" },
];

/** Returns the frames of a log whose clock advances with every third event. */
function logOf(steps: readonly Step[]): Buffer[] {
  return steps.map(([form, event, fields], index) => {
    now += index % 3 === 0 ? 1000 : 0;
    return encodeFrames(index, [form.make(event, fields)]);
  });
}

const translators: Record<string, () => Translator> = {
  "the platform's translator": () => platformTranslator(name),
  "the standard translator": () => standardTranslator(name),
};
const toFrame = (id: string, event: A2aEvent): string => `event: x\ndata: ${toJsonLine(event)}\nid: ${id}\n\n`;

function read(
  translator: () => Translator,
  buffers: readonly Buffer[],
  after: Cursor = beginning,
  files: Media[] = [],
): string {
  const writer = new StreamWriter({ taskId, translator: translator(), toFrame, after });
  return buffers.map((bytes) => writer.write(bytes, files)).join("");
}

const framesIn = (text: string): string[] => text.split(/(?<=\n\n)/).filter((frame) => frame !== "");
const eventsIn = (text: string): A2aEvent[] =>
  framesIn(text).map((frame) => JSON.parse(frame.split(/\ndata: |\nid: /)[1] ?? ""));

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  // Characters that end a JSON string, or only seem to: a piece of an answer that is JSON often ends with a quote and a comma.
  fc.array(fc.constantFrom('"', ",", "\\", ":", "a"), { maxLength: 6 }).map((signs) => signs.join("")),
  fc.constantFrom('"],', '",', '","', '\\","', "\\", '"', "\n\n", "id: 1\n", "{}"),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: text.map((content) => piece(content)) },
  text.map((content) => piece(content, member)),
  fc.constantFrom<Step>(
    [own, "RunStarted", {}],
    [own, "RunRecovered", { attempt: 2, discard_from_index: 1 }],
    [own, "ModelRequestStarted", { model: "m" }],
    [own, "RunContent", { reasoning_content: "why" }],
    piece({ a: ['","'] }),
    [member, "RunStarted", {}],
    [member, "RunCompleted", { content: "done" }],
    [member, "RunError", { content: "secret" }],
    [own, "CustomEvent", { content: "x" }],
    [own, "CustomEvent", { artifact: { name: "a", text: 5 } }],
    [own, "CustomEvent", { artifact: { name: "a", text: "made" } }],
    [own, "ToolCallStarted", { tool: { tool_name: "t", tool_call_id: "c", tool_args: { a: 1 } } }],
  ),
);
const end = fc.constantFrom<Step>(
  [own, "RunCompleted", { content: "the answer", metrics: {} }],
  [own, "RunError", { content: "secret", error_type: "internal_error", error_id: "e" }],
  [own, "RunCancelled", { reason: "because" }],
  [own, "RunPaused", { content: "May I?", tools: [], requirements: [] }],
);

describe.each(Object.entries(translators))("%s", (_name, translator) => {
  test("returns the same frames however the log is split", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), end, fc.array(fc.nat(30)), (steps, last, cuts) => {
        const log = logOf([...steps, last]);
        const ends = [...new Set([0, ...cuts.filter((cut) => cut < log.length), log.length])].toSorted((a, b) => a - b);
        const pieces = ends.slice(1).map((to, place) => Buffer.concat(log.slice(ends[place], to)));
        expect(read(translator, pieces)).toBe(read(translator, log));
      }),
    );
  });

  test("returns exactly the frames after any cursor", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), end, (steps, last) => {
        const log = logOf([...steps, last]);
        const whole = framesIn(read(translator, log));
        const ids = whole.map((frame) => frame.slice(frame.lastIndexOf("\nid: ") + "\nid: ".length, -2));
        expect(new Set(ids).size).toBe(ids.length);
        for (const [place, id] of ids.entries()) {
          const after = parseCursor(id);
          expect(after).toBeDefined();
          const from = translator().remembers ? 0 : Number.parseInt(id, 10);
          expect(framesIn(read(translator, log.slice(from), after))).toEqual(whole.slice(place + 1));
        }
      }),
      { numRuns: 40 },
    );
  });

  test("returns the text of every piece unchanged by JSON escapes", () => {
    fc.assert(
      fc.property(fc.array(text.filter((one) => one !== "")), (texts) => {
        const log = [Buffer.concat(logOf(texts.map((content) => piece(content))))];
        const told = eventsIn(read(translator, log)).map((event) => {
          const parts = event.kind === "artifact-update" ? event.artifact.parts : "parts" in event ? event.parts : [];
          return (parts[0] as { text: string }).text;
        });
        expect(told).toEqual(texts.map((one) => one.toWellFormed()));
      }),
    );
  });

  test("returns one message for a member's reasoning with an empty text", () => {
    const both: Step = [member, "RunContent", { content: "", reasoning_content: "why" }];
    const [told, ...more] = eventsIn(read(translator, logOf([both, [member, "RunContent", { content: "" }]])));
    expect(more).toEqual([]);
    expect(JSON.stringify(told)).toMatch(/"text":"why".*"reasoning"/);
  });

  test("returns reasoning with message ids other than the answer's", () => {
    const log = logOf([
      [own, "RunContent", { reasoning_content: "why" }],
      [member, "RunContent", { reasoning_content: "how" }],
      piece("so"),
    ]);
    const text = read(translator, log);
    expect([...text.matchAll(/"messageId":"([^"]*)/g)].map(([, id]) => id).slice(0, 2)).toEqual([
      `${taskId}/reasoning`,
      `${memberId}/reasoning`,
    ]);
    expect(text).toContain(`"member_run_id":"${memberId}"`);
  });

  test("returns a distinct message id per question, the same at every translation", () => {
    const asked = (requirement: object): string => {
      const log = logOf([[own, "RunPaused", { content: "May I?", tools: [], requirements: [requirement] }]]);
      return /"messageId":"([^"]*)/.exec(read(translator, log))?.[1] ?? "";
    };
    expect(asked({ id: "q1" })).toBe(asked({ id: "q1" }));
    expect(asked({ id: "q1" })).not.toBe(asked({ id: "q2" }));
  });

  test("returns the error id of a failure but no internal detail", () => {
    const log = logOf([
      [own, "RunStarted", {}],
      [own, "RunError", { content: "secret", error_type: "step_failed", error_id: "e" }],
    ]);
    expect(read(translator, log)).not.toContain("secret");
    expect(read(translator, log)).toContain("The task failed. (error e)");
  });
});

describe("the standard translator", () => {
  const translator = () => standardTranslator(name);
  /** Returns what a client assembles from the updates of an artifact. */
  function assembled(told: readonly A2aEvent[], id: string): unknown {
    const parts: unknown[] = [];
    for (const event of told) {
      if (event.kind !== "artifact-update" || event.artifact.artifactId !== id) continue;
      if (!event.append) parts.length = 0;
      parts.push(...event.artifact.parts);
    }
    const texts = parts as { text?: string; file?: { bytes: string }; data?: unknown }[];
    return texts[0]?.data ?? texts.map((part) => part.text ?? part.file?.bytes).join("");
  }

  test("returns an answer as one artifact: later pieces are appended, and the last update only closes it", () => {
    const told = eventsIn(
      read(translator, logOf([piece("Hel"), piece("lo"), [own, "RunCompleted", { content: "Hello" }]])),
    );
    expect(told.map((event) => event.kind === "artifact-update" && [event.append, event.lastChunk])).toEqual([
      ...[
        [false, false],
        [true, false],
        [true, true],
      ],
      false,
    ]);
    expect(assembled(told, "answer")).toBe("Hello");
    expect(told.at(-1)).toMatchObject({ kind: "status-update", final: true, status: { state: "completed" } });
  });

  test.each<[string, Step[], unknown]>([
    ["was not streamed", [], "Hello"],
    ["differs from the streamed text", [piece("Let me see")], "Hello"],
    ["was partly streamed again after a crash", [piece("Hel"), [own, "RunRecovered", {}], piece("Hello")], "Hello"],
    ["is structured", [piece({ a: 1 })], { a: 1 }],
    ["is a workflow's structured output", [], { a: 1 }],
    ["is longer than a chunk", [], "ü😀".repeat(200_000)],
  ])("returns updates from which clients assemble an answer that %s", (_how, steps, content) => {
    const told = eventsIn(read(translator, logOf([...steps, [own, "RunCompleted", { content }]])));
    expect(assembled(told, "answer")).toEqual(content);
    expect(told.every((event) => JSON.stringify(event).length < 1024 * 1024)).toBe(true);
  });

  test("returns files as artifacts, in chunks of valid base64", () => {
    const bytes = Buffer.alloc(300_000, "abc");
    const files: Media[] = [
      { kind: "image", mediaType: "image/png", filename: "a.png", data: bytes.toString("base64") },
      { kind: "file", mediaType: "text/plain", url: "https://example.com/x" },
    ];
    const told = eventsIn(read(translator, logOf([[own, "RunCompleted", { content: "x" }]]), beginning, files));
    const chunks = told.filter((event) => event.kind === "artifact-update" && event.artifact.artifactId === "file-1");
    expect(chunks.length).toBe(2);
    expect(Buffer.from(String(assembled(told, "file-1")), "base64").equals(bytes)).toBe(true);
    expect(told).toContainEqual(
      expect.objectContaining({
        artifact: {
          artifactId: "file-2",
          parts: [{ kind: "file", file: { uri: "https://example.com/x", mimeType: "text/plain" } }],
        },
      }),
    );
  });

  test("returns a member's answer once, when the member has completed", () => {
    const told = eventsIn(
      read(
        translator,
        logOf([piece("Hel", member), piece("lo", member), [member, "RunCompleted", { content: "Hello" }]]),
      ),
    );
    expect(told).toEqual([
      expect.objectContaining({
        status: { state: "working", message: expect.objectContaining({ parts: [{ kind: "text", text: "Hello" }] }) },
        metadata: expect.objectContaining({ agno_event_type: "member_run_completed", member_id: "m" }),
      }),
    ]);
  });

  test("returns a pause as input-required, or as auth-required if a tool call needs an approval", () => {
    const paused = (approval_type: string | null): A2aEvent | undefined => {
      const requirements = [{ id: "r", tool_execution: { tool_name: "t", approval_type } }];
      return eventsIn(read(translator, logOf([[own, "RunPaused", { content: "May I?", tools: [], requirements }]]))).at(
        -1,
      );
    };
    expect(paused(null)).toMatchObject({
      final: true,
      status: { state: "input-required", message: { role: "agent" } },
    });
    expect(paused("required")).toMatchObject({ status: { state: "auth-required" } });
  });
});

describe("parseCursor", () => {
  test.each<[string, Cursor | undefined]>([
    ["3.1", { index: 3, frame: 1 }],
    ["3", afterEvent(3)],
    ["-1", afterEvent(-1)],
    [" 0.0 ", { index: 0, frame: 0 }],
    ["", undefined],
    ["-2", undefined],
    ["1.", undefined],
    ["1.-1", undefined],
    ["1e3", undefined],
    ["9".repeat(16), undefined],
  ])("parses %j, or returns undefined if it is invalid", (given, cursor) => expect(parseCursor(given)).toEqual(cursor));
});

test("toStreamItem translates the neutral form to 1.0: unions by member name, and long enumeration names", () => {
  const file = { kind: "file", file: { bytes: "AA==", mimeType: "image/png", name: "a.png" } } as const;
  const message = {
    kind: "message",
    messageId: "m",
    role: "agent",
    parts: [{ kind: "data", data: { a: 1 } }, file],
    ...name,
  } as const;
  expect(
    toStreamItem({ kind: "status-update", ...name, status: { state: "input-required", message }, final: true }),
  ).toEqual({
    statusUpdate: {
      ...name,
      status: {
        state: "TASK_STATE_INPUT_REQUIRED",
        message: {
          ...{ messageId: "m", role: "ROLE_AGENT", ...name },
          parts: [{ data: { a: 1 } }, { raw: "AA==", filename: "a.png", mediaType: "image/png" }],
        },
      },
    },
  });
  const artifact = { artifactId: "answer", parts: [{ kind: "text", text: "x" }] } as const;
  expect(toStreamItem({ kind: "artifact-update", ...name, artifact, append: true, lastChunk: false })).toEqual({
    artifactUpdate: {
      ...name,
      artifact: { artifactId: "answer", parts: [{ text: "x" }] },
      append: true,
      lastChunk: false,
    },
  });
  const task = {
    kind: "task",
    id: taskId,
    contextId: "c",
    status: { state: "completed" },
    history: [message],
  } as const;
  expect(toStreamItem(task)).toMatchObject({ task: { id: taskId, status: { state: "TASK_STATE_COMPLETED" } } });
  expect(toStreamItem(message)).toHaveProperty("message.role", "ROLE_AGENT");
  expect(stateName("canceled")).toBe("TASK_STATE_CANCELED");
});
