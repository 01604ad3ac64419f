/** Streams of responses that are cut at any frame: nothing is skipped, nothing is repeated, and every process makes the same bytes. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type ResponseFacts, ResponseTranslator } from "../../src/interfaces/openai/stream/response.ts";
import { encodeFrames } from "../../src/model/frame.ts";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { repetitions } from "../support/repetitions.ts";
import { openShop, type ShopServer } from "./support/shop.ts";

const facts: ResponseFacts = {
  ...{ kind: "agent", componentId: "clerk", runId: "run", first: 0, sessionId: "session", createdAt: 7 },
  ...{ background: false, instructions: undefined, metadata: undefined, userId: null, previousResponseId: undefined },
};

interface Event {
  readonly name: string;
  readonly members: Readonly<Record<string, unknown>>;
}

const text = fc.string({ unit: "binary" });
const run = fc.constantFrom("run", "member");
const tool = (id: string) => ({
  tool_call_id: id,
  tool_name: "look",
  tool_args: { a: 1 },
  tool_call_error: null,
  result: "r",
});
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ name: fc.constant("RunContent"), members: fc.record({ run_id: run, content: text }) }),
  },
  fc.record({ name: fc.constant("RunContent"), members: fc.record({ run_id: run, reasoning_content: text }) }),
  fc.record({ name: fc.constant("RunContent"), members: fc.record({ run_id: run, content: fc.record({ a: text }) }) }),
  fc.record({
    name: fc.constantFrom("ToolCallStarted", "ToolCallCompleted"),
    members: fc.record({ run_id: run, tool: fc.constantFrom("1", "2").map(tool) }),
  }),
  fc.record({
    name: fc.constant("ModelRequestCompleted"),
    members: fc.record({ run_id: run, input_tokens: fc.nat(9) }),
  }),
  fc.record({ name: fc.constant("RunRecovered"), members: fc.record({ run_id: run, discard_from_index: fc.nat(20) }) }),
);
const end: fc.Arbitrary<Event> = fc.constantFrom(
  { name: "RunCompleted", members: { run_id: "run", content: "done" } },
  { name: "RunError", members: { run_id: "run", content: "failed" } },
  { name: "RunCancelled", members: { run_id: "run" } },
  { name: "RunPaused", members: { run_id: "run", requirements: [] } },
);

const log = fc.tuple(fc.array(event, { maxLength: 25 }), end).map(([events, last]) => {
  const begun = { name: "RunStarted", members: { run_id: "run" } };
  return encodeFrames(
    0,
    [begun, ...events, last].map(({ name, members }) => ({
      name,
      members: JSON.stringify({ created_at: 1795000000, event: name, ...members }).slice(1, -1),
    })),
  );
});

interface Frame {
  readonly raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the frames without types
  readonly data: any;
}

function framesOf(stream: string): Frame[] {
  const frames = stream.split("\n\n").filter((raw) => raw !== "" && !raw.startsWith(":"));
  return frames.map((raw) => ({ raw, data: JSON.parse(raw.slice(raw.indexOf("data: ") + 6)) }));
}

test("numbers of frames rise, and a stream after any of them is the rest of the whole stream", () => {
  const property = fc.property(log, (bytes) => {
    const whole = framesOf(new ResponseTranslator(facts, -1).write(bytes));
    const numbers = whole.map(({ data }) => data.sequence_number);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    for (const [place, number] of numbers.entries()) {
      const rest = framesOf(new ResponseTranslator(facts, number).write(bytes));
      expect(rest.map(({ raw }) => raw)).toEqual(whole.slice(place + 1).map(({ raw }) => raw));
    }
  });
  fc.assert(property, { numRuns: repetitions(300) });
});

test("the last frame has the items that the frames announced and did not discard, with the texts of their deltas", () => {
  const property = fc.property(log, (bytes) => {
    const whole = framesOf(new ResponseTranslator(facts, -1).write(bytes));
    const items = new Map<string, { text: string; done: unknown }>();
    for (const { data } of whole) {
      if (data.type === "response.output_item.added") items.set(data.item.id, { text: "", done: undefined });
      const item = items.get(data.item_id ?? data.item?.id);
      if (item && /(output_text|reasoning_text)\.delta$/.test(data.type)) item.text += data.delta;
      if (item && data.type === "response.output_item.done") item.done = data.item;
    }
    const { response } = whole.at(-1)?.data ?? {};
    for (const one of response.output) {
      expect(one).toEqual(items.get(one.id)?.done);
      if (one.content) expect(one.content[0].text).toBe(items.get(one.id)?.text);
    }
    const quiet = new ResponseTranslator(facts);
    quiet.write(bytes);
    expect(JSON.parse(quiet.response())).toEqual(response);
  });
  fc.assert(property, { numRuns: repetitions(300) });
});

async function streamOf(
  server: ShopServer,
  id: string,
  after: number,
  frames = Number.POSITIVE_INFINITY,
): Promise<Frame[]> {
  const cut = new AbortController();
  const url = `${server.client.address.origin}/v1/responses/${id}?stream=true&starting_after=${after}`;
  const answer = await fetch(url, { signal: cut.signal });
  let got = "";
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    got += chunk;
    if (got.split("\n\n").length > frames) break;
  }
  cut.abort();
  return framesOf(got.slice(0, got.lastIndexOf("\n\n") + 2)).slice(0, frames);
}

eachDatabase("a stream of a response", (openDatabase) => {
  test("that is cut after each frame continues after it, also after a restart of the server", async () => {
    const database = await openDatabase();
    let id = "";
    let whole: Frame[] = [];
    {
      await using server = await openShop(database);
      id = (await server.openai.responses.create({ model: "agent:clerk", input: "look up" })).id;
      whole = await streamOf(server, id, -1);
      let after = -1;
      const joined: Frame[] = [];
      while (joined.at(-1)?.data.type !== "response.completed") {
        joined.push(...(await streamOf(server, id, after, 1)));
        after = joined.at(-1)?.data.sequence_number;
      }
      expect(joined.map(({ raw }) => raw)).toEqual(whole.map(({ raw }) => raw));
    }
    await using server = await openShop(database);
    for (const [place, { data }] of whole.entries()) {
      const rest = await streamOf(server, id, data.sequence_number);
      expect(rest.map(({ raw }) => raw)).toEqual(whole.slice(place + 1).map(({ raw }) => raw));
    }
  });
});

test("another process follows, answers and cancels a response, with the same bytes", async () => {
  await using database = await openDatabaseOf("postgres");
  await using one = await openShop(database);
  await using other = await openShop(database);
  const begun = await one.openai.responses.create({ model: "agent:clerk", input: "endless", background: true });
  const head = await streamOf(one, begun.id, -1, 5);
  const after = head.at(-1)?.data.sequence_number;
  const [here, there] = [streamOf(one, begun.id, after), streamOf(other, begun.id, after)];
  expect((await other.openai.responses.cancel(begun.id)).status).toBe("cancelled");
  const texts = (await there).map(({ raw }) => raw);
  expect(texts).toEqual((await here).map(({ raw }) => raw));
  expect(texts.at(-1)).toContain('"status":"cancelled"');
  const asked = await one.openai.responses.create({ model: "agent:clerk", input: "measure" });
  const call = asked.output.find((item) => item.type === "function_call");
  const input = [{ type: "function_call_output" as const, call_id: call?.call_id ?? "", output: "3 m" }];
  expect((await other.openai.responses.create({ model: "agent:clerk", input })).output_text).toBe("The tool said 3 m");
});
