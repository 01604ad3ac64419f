/** Every interface copies the chunks of an answer from the log. Its frames are the same as if it parsed each event. */
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { EventForm } from "../../src/engine/run/event-form.ts";
import type { LogItem } from "../../src/events/run-logs.ts";
import { beginning, parseCursor } from "../../src/http/streams/frame-cursor.ts";
import { FrameScanner } from "../../src/http/streams/frame-scanner.ts";
import type { Stream } from "../../src/http/streams/sse.ts";
import { platformFrames } from "../../src/interfaces/a2a/stream/platform-frames.ts";
import { platformTranslator } from "../../src/interfaces/a2a/stream/platform-translator.ts";
import { standardTranslator } from "../../src/interfaces/a2a/stream/standard-translator.ts";
import { StreamWriter } from "../../src/interfaces/a2a/stream/writer.ts";
import { agUiStream } from "../../src/interfaces/ag-ui/stream.ts";
import { messageStream } from "../../src/interfaces/ai-ui/stream/message-stream.ts";
import { parseEventId } from "../../src/interfaces/mcp/stream/cursor.ts";
import { callStream } from "../../src/interfaces/mcp/stream/run-stream.ts";
import { CompletionTranslator } from "../../src/interfaces/openai/stream/completion.ts";
import { ResponseTranslator } from "../../src/interfaces/openai/stream/response.ts";
import { encodeFrames } from "../../src/model/frame.ts";
import type { Principal } from "../../src/model/principal.ts";

const runId = "11111111-1111-4111-8111-111111111111";
const memberId = "22222222-2222-4222-8222-222222222222";
let now = 1_763_000_000_000;
const clock = { now: () => now } as ConstructorParameters<typeof EventForm>[0];
const component = { kind: "agent", id: "a", name: 'An "agent","x"' } as const;
const own = new EventForm(clock, { component, runId, parentRunId: undefined, sessionId: "s" });
const member = new EventForm(clock, {
  ...{ component: { kind: "agent", id: "m", name: "Member" }, sessionId: "s" },
  ...{ runId: memberId, parentRunId: runId },
});

/** An event of the log. Its fields are those of the engine, or of an event relayed from another server. */
type Step = readonly [form: EventForm, name: string, fields: Readonly<Record<string, unknown>>];

const engineFields = { workflow_agent: false, content_type: "str", reasoning_content: "" };
const said = (content: unknown, form = own): Step => [form, "RunContent", { content, ...engineFields }];
const thought = (reasoning_content: string, form = own): Step => [form, "RunContent", { reasoning_content }];
const both = (content: unknown, reasoning_content: string, form = own): Step => [
  ...([form, "RunContent"] as const),
  { content, ...engineFields, reasoning_content },
];

/** The frames of a log whose clock advances with every third event. */
function logOf(steps: readonly Step[]): Buffer[] {
  now = 1_763_000_000_000;
  return steps.map(([form, name, fields], index) => {
    now += index % 3 === 0 ? 1000 : 0;
    return encodeFrames(index, [form.make(name, fields)]);
  });
}

/** The same log with a space in each chunk of the answer, so that the scanner passes the whole events. Events with sources always pass as a whole. */
function parsedLog(log: readonly Buffer[]): Buffer[] {
  return log.map((frame) => {
    const text = frame.toString();
    const isOwn =
      text.startsWith("event: RunContent\n") && text.includes(`"run_id":"${runId}"`) && !text.includes('"citations":');
    return isOwn ? Buffer.from(text.replace('"content":"', '"content": "')) : frame;
  });
}

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.array(fc.constantFrom('"', ",", "\\", ":", "a"), { maxLength: 6 }).map((signs) => signs.join("")),
  fc.constantFrom('"],', '","reasoning_content":"x', "\\", '"', "\n\n", "id: 1\n", "{}", "\u2028", "\u0085", "\ud800"),
  fc.constantFrom("ü😀".repeat(500), '\\"'.repeat(300)),
);
const tool = { tool_name: "t", tool_call_id: "c", tool_args: { a: 1 }, tool_call_error: false, result: "done" };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: text.map((content) => said(content)) },
  text.map((content) => said(content, member)),
  text.map((reasoning) => thought(reasoning)),
  fc.tuple(text, text).map(([content, reasoning]) => both(content, reasoning)),
  fc.tuple(text, text).map(([content, reasoning]) => both(content, reasoning, member)),
  text.map(
    (title): Step => [own, "RunContent", { ...engineFields, citations: { urls: [{ url: "https://a.b", title }] } }],
  ),
  text.map((content): Step => [own, "RunContent", { content, session_state: { content: "x" } }]),
  text.map((content): Step => [own, "RunContent", { content, citations: { urls: [{ url: "https://example.com" }] } }]),
  fc.constantFrom<Step>(
    [own, "RunStarted", {}],
    [own, "RunRecovered", { attempt: 2, discard_from_index: 1 }],
    [own, "ModelRequestStarted", { model: "m" }],
    [own, "ModelRequestCompleted", { input_tokens: 1 }],
    [own, "RunContentCompleted", {}],
    [own, "RunMessage", { content: "Also this", message_id: "n" }],
    said({ a: ['","'] }),
    thought("why", member),
    [member, "RunStarted", {}],
    [member, "RunCompleted", { content: "done" }],
    [own, "ToolCallStarted", { tool }],
    [own, "ToolCallCompleted", { tool }],
    [own, "CustomEvent", { content: "x" }],
  ),
);
const end = fc.constantFrom<Step>(
  [own, "RunCompleted", { content: "the answer", metrics: {} }],
  [own, "RunError", { content: "broken", error_type: "internal_error", error_id: "e" }],
  [own, "RunCancelled", { reason: "because" }],
);

/** Reads a log, of which `buffers` are the frames, after the frame that `after` names. */
type Read = (buffers: readonly Buffer[], after?: string) => string;

const readOf =
  (open: (after: string | undefined) => Pick<Stream, "translate">): Read =>
  (buffers, after) => {
    const stream = open(after);
    let first = 0;
    const item = (bytes: Buffer): LogItem => {
      const count = bytes.toString().split("\n\n").length - 1;
      first += count;
      return { kind: "frames", first: first - count, last: first - 1, bytes };
    };
    return buffers.map((bytes) => stream.translate(item(bytes)).join("")).join("");
  };

const runs = {
  follow: () => async function* nothing() {},
  files: () => Promise.resolve([]),
  load: () => Promise.reject(new Error("The log has no end.")),
};
const caller: Principal = { kind: "open", userId: null, isAdmin: true, scopes: [], owner: null };
const run = { runId, sessionId: "s", key: 1 };
const name = { taskId: runId, contextId: "s" };
const facts = {
  kind: "agent",
  ...{ componentId: "a", runId, first: 0, sessionId: "s", createdAt: 0, background: false },
  ...{ includesUsage: true, instructions: undefined, metadata: undefined, userId: null, previousResponseId: undefined },
} as const;

const agUi = (protocol: { isCurrent: boolean; from: number }): Read =>
  readOf((after) =>
    agUiStream(runs, run, { threadId: "s", runId: "r", ownRunId: runId, state: {}, ...protocol }, cursorOf(after)),
  );
const cursorOf = (text: string | undefined) => (text === undefined ? undefined : parseCursor(text)) ?? beginning;
const call = {
  kind: "agent",
  ...{ componentId: "a", runId, requestId: 1, progressToken: 1, isModern: true, isTask: false, elicits: false },
} as const;

const interfaces: Readonly<Record<string, Read>> = {
  "AG-UI 1.0": agUi({ isCurrent: true, from: -1 }),
  "AG-UI before 1.0": agUi({ isCurrent: false, from: -1 }),
  "AG-UI after a pause": agUi({ isCurrent: true, from: 3 }),
  "AI SDK UI": readOf((after) => messageStream(runs, caller, run, cursorOf(after))),
  "A2A of the platform": (buffers, after) => {
    const toFrame = platformFrames({ requestId: 1, bareStatus: false });
    const writer = new StreamWriter({
      taskId: runId,
      translator: platformTranslator(name),
      toFrame,
      after: cursorOf(after),
    });
    return buffers.map((bytes) => writer.write(bytes, [])).join("");
  },
  "A2A of the specification": (buffers, after) => {
    const toFrame = platformFrames({ requestId: 1, bareStatus: false });
    const writer = new StreamWriter({
      taskId: runId,
      translator: standardTranslator(name),
      toFrame,
      after: cursorOf(after),
    });
    return buffers.map((bytes) => writer.write(bytes, [])).join("");
  },
  "OpenAI chat completions": (buffers) => {
    const translator = new CompletionTranslator(facts, true);
    return buffers.map((bytes) => translator.write(bytes)).join("");
  },
  "OpenAI responses": (buffers) => {
    const translator = new ResponseTranslator(facts, -1);
    return buffers.map((bytes) => translator.write(bytes)).join("");
  },
  MCP: readOf((after) => {
    const position = (after === undefined ? undefined : parseEventId(after)?.after) ?? { index: -1, frame: 0 };
    return callStream(runs, caller, run, { call, after: position, isPrimed: false });
  }),
};

/** The texts and ids of frames. */
const framesIn = (written: string): string[] => written.split(/(?<=\n\n)/).filter((frame) => frame !== "");
const idOf = (frame: string): string | undefined => /\nid: (\S+)\n\n$/.exec(frame)?.[1];

describe.each(Object.entries(interfaces))("%s", (interfaceName, read) => {
  test("sends the same bytes for copied and for parsed chunks, however the log is split", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), end, fc.array(fc.nat(25)), (steps, last, cuts) => {
        const log = logOf([...steps, last]);
        const places = new Set([0, ...cuts.filter((cut) => cut < log.length), log.length]);
        const ends = [...places].toSorted((one, other) => one - other);
        const buffers = ends.slice(1).map((to, place) => Buffer.concat(log.slice(ends[place], to)));
        expect(read(buffers)).toBe(read(parsedLog(log)));
      }),
    );
  });

  test("sends exactly the frames after any frame", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), end, (steps, last) => {
        const log = logOf([...steps, last]);
        const whole = framesIn(read([Buffer.concat(log)]));
        for (const [place, frame] of whole.entries()) {
          const id = idOf(frame);
          if (id !== undefined) expect(framesIn(read([Buffer.concat(log)], id))).toEqual(whole.slice(place + 1));
        }
      }),
      { numRuns: 15 },
    );
  });

  test("parses no chunk after the first ones", () => {
    const parse = vi.spyOn(JSON, "parse");
    try {
      const parsedIn = (count: number): number => {
        const steps = Array.from({ length: count }, (_, place) => said(`word ${place} "\\`));
        const log = Buffer.concat(
          steps.map(([form, event, fields], index) => encodeFrames(index, [form.make(event, fields)])),
        );
        parse.mockClear();
        read([log]);
        return parse.mock.calls.length;
      };
      // A2A of the specification counts the characters of a text with escapes.
      const perChunk = interfaceName.startsWith("A2A") ? 1 : 0;
      expect(parsedIn(110) - parsedIn(10)).toBe(100 * perChunk);
    } finally {
      parse.mockRestore();
    }
  });

  test("sends the reasoning and the text of an event that has both", () => {
    if (interfaceName === "MCP") return;
    const steps: Step[] = [[own, "RunStarted", {}], said("one"), said("two"), both("three", "because"), said("four")];
    const written = read([Buffer.concat(logOf([...Array<Step>(4).fill([own, "RunStarted", {}]), ...steps]))]);
    for (const shown of ["one", "two", "because", "three", "four"]) expect(written).toContain(`"${shown}"`);
    expect(written.indexOf('"because"')).toBeLessThan(written.indexOf('"three"'));
  });
});

describe("the scanner", () => {
  const scanned = (steps: readonly Step[]): string[] => {
    const calls: string[] = [];
    const note = (kind: string) => (index: number, given: string) => {
      calls.push(`${kind} ${index}${kind === "chunk" ? ` ${given}` : ""}`);
      return "";
    };
    new FrameScanner(runId).scan(Buffer.concat(logOf(steps)), {
      chunk: note("chunk"),
      own: note("own"),
      nested: note("nested"),
    });
    return calls;
  };

  test("passes an event with text and reasoning as a whole", () => {
    expect(scanned([said("a"), said("b"), both("c", "why"), both("d", ""), said("e")])).toEqual([
      "own 0",
      "chunk 1 b",
      "own 2",
      "chunk 3 d",
      "chunk 4 e",
    ]);
  });

  test("passes the events of members and chunks of another form as a whole, and then copies the new form", () => {
    const other = (content: string): Step => [own, "RunContent", { content, model_provider_data: { id: 1 } }];
    expect(scanned([said("a"), said("b", member), other("c"), other("d"), said("e"), said("f")])).toEqual([
      "own 0",
      "nested 1",
      "own 2",
      "chunk 3 d",
      "own 4",
      "chunk 5 f",
    ]);
  });
});
