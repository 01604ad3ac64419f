/**
 * What it costs to read and validate the largest bodies that strangers may send. The measure is the time that this process itself takes to parse as
 * many bytes of plain JSON, in the same run, so that a slow or busy machine changes both.
 */
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type BodySpec, mediaTypes, readFields } from "../../src/http/input/body.ts";
import { unwrapped } from "../../src/http/input/schema-walk.ts";
import { interfaceRoutes } from "../../src/http/routes/all.ts";
import { answerError } from "../../src/http/transport/errors.ts";
import { a2aRoutes } from "../../src/interfaces/a2a/routes/all.ts";
import { parsers03, parsers10, parsersRest03 } from "../../src/interfaces/a2a/standard/read/parsers.ts";
import { openAiRoutes } from "../../src/interfaces/openai/routes/all.ts";
import { maxJsonValues } from "../../src/model/json-text.ts";
import { defaultSettings } from "../../src/model/settings.ts";
import { silentLog } from "../support/runtime.ts";

const largest = defaultSettings.maxBodyBytes - 64 * 1024;

const filled = (unit: string, length = largest): string => unit.repeat(Math.floor(length / unit.length));
const listed = (item: string, count = Math.floor(largest / (item.length + 1))): string =>
  `[${`${item},`.repeat(count - 1)}${item}]`;
const keyed = (count: number): string => `{${Array.from({ length: count }, (_, key) => `"key_${key}":1`).join(",")}}`;

/** As many values as a request may have, with a reserve for the values around them. */
const many = maxJsonValues - 100;

/** JSON texts that every reader rejects before it parses them. */
const refused: readonly string[] = [
  ...[listed("1"), listed("{}"), keyed(270_000), filled("["), filled('{"a":')],
  `${filled("[", largest / 2)}${filled("]", largest / 2)}`,
];
/** JSON texts that are the most expensive to parse. */
const structures: readonly string[] = [
  ...[listed("1", many), listed('{"a_b":{}}', many / 4), keyed(many)],
  ...[listed("{}", 1_000), listed(listed("{}", 40), 1_000), listed('{"kind":"text","name":[]}', 1_000)],
];
const units = [" ", "a ", "%41", "+", "_a", "0", "a@", "data:,"];
const texts: readonly string[] = units.map((unit) => `"${filled(unit)}"`);

/** User time of this process, in microseconds. */
async function costOf(work: () => unknown): Promise<number> {
  const begin = process.cpuUsage();
  await work();
  return process.cpuUsage(begin).user;
}

/** The lowest cost of up to four tries, which excludes garbage collection and other work of the machine. */
async function leastCostOf(work: () => unknown, isEnough: (cost: number) => boolean): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 4 && !isEnough(least); tries++) least = Math.min(least, await costOf(work));
  return least;
}

function message(contentType: string, body: string): IncomingMessage {
  const bytes = Buffer.from(body);
  const incoming = new IncomingMessage(new Socket());
  incoming.headers = { "content-type": contentType, "content-length": String(bytes.length) };
  incoming.push(bytes);
  incoming.push(null);
  incoming.complete = true;
  return incoming;
}

/** A place of a request that can hold a text, and how the server reads it. */
interface Place {
  readonly name: string;
  readonly isText: boolean;
  read(text: string): Promise<unknown>;
}

const ofRoutes = [...interfaceRoutes(0), ...a2aRoutes({ a2a: {} }), ...openAiRoutes({ openai: true })];

function* placesOfRoutes(): Generator<Place> {
  const known = new Set<unknown>();
  for (const { path, body } of ofRoutes) {
    if (!body) continue;
    for (const [name, schema] of Object.entries(body.reader.schema.shape)) {
      if (known.has(schema)) continue;
      known.add(schema);
      for (const type of body.types) {
        if (type === "multipart") continue;
        const bodyWith = (text: string) => (type === "json" ? `{"${name}":${text}}` : `${name}=${unquoted(text)}`);
        yield {
          name: `${name} of ${path} as ${type}`,
          isText: isText(schema as z.ZodType),
          read: async (text) => read(body, mediaTypes[type], bodyWith(text)),
        };
      }
    }
  }
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1) : text;
}

function isText(schema: z.ZodType): boolean {
  return unwrapped(schema) instanceof z.ZodString;
}

async function read(body: BodySpec<unknown>, type: string, text: string): Promise<unknown> {
  return body.reader.read(await readFields(message(type, text), body.types, defaultSettings), "body");
}

const place = "in this place";
const sent = { ...{ kind: "message", messageId: "m", role: "user" }, parts: [{ kind: "text", text: "hi" }] };
const target = { url: "https://example.com" };
const params: readonly unknown[] = [
  place,
  { message: { ...sent, parts: place } },
  { message: { ...sent, parts: [{ kind: "data", data: place }] } },
  { message: { ...sent, metadata: place } },
  { message: sent, configuration: { pushNotificationConfig: { ...target, authentication: { schemes: place } } } },
];
const templates = params.map((one) => JSON.stringify({ jsonrpc: "2.0", id: "1", method: "message/send", params: one }));

function* placesOfA2a(): Generator<Place> {
  const readings = { reading03: parsers03, reading10: parsers10, readingRest03: parsersRest03 };
  for (const template of templates) {
    const bodyWith = (text: string): string => template.replace(JSON.stringify(place), () => text);
    for (const [name, reading] of Object.entries(readings)) {
      yield {
        name: `${template} by ${name}`,
        isText: false,
        async read(text) {
          const fields = await readFields(message(mediaTypes.json, bodyWith(text)), ["json"], defaultSettings);
          return reading.send(fields.params);
        },
      };
    }
    const [body] = ofRoutes.flatMap((route) => (route.path.endsWith("message:send") && route.body ? route.body : []));
    yield {
      name: `${template} by the platform`,
      isText: false,
      read: (text) => read(body!, mediaTypes.json, bodyWith(text)),
    };
  }
}

/** The length of the response to a rejected request. */
function answerTo(error: unknown): number {
  let answer: unknown;
  const reply = {
    header: () => reply,
    code: () => reply,
    send: (body: unknown) => {
      answer = body;
    },
  };
  const request = { routeOptions: { config: { faults: "list" } }, method: "POST", url: "/", id: "id" };
  answerError(error, request as never, reply as never, silentLog);
  return JSON.stringify(answer).length;
}

describe("reading a body costs less than twice the cost of parsing the most expensive JSON of its size", () => {
  const dearest = keyed(270_000);
  let unit = 0;

  test("the cost of parsing is measured", async () => {
    unit = await leastCostOf(
      () => JSON.parse(dearest),
      () => false,
    );
    expect(dearest.length).toBeLessThan(defaultSettings.maxBodyBytes);
  });

  async function expectBounded({ name, read: readIn }: Place, bodies: readonly string[]): Promise<void> {
    for (const body of bodies) {
      const refusal = (error: unknown): void => expect(answerTo(error)).toBeLessThan(500_000);
      const cost = await leastCostOf(
        () => readIn(body).catch(refusal),
        (least) => least < 2 * unit,
      );
      expect([name, body.slice(0, 20), cost / unit]).toEqual([
        name,
        body.slice(0, 20),
        expect.toSatisfy((units) => units < 2),
      ]);
    }
  }

  const places = [...placesOfRoutes(), ...placesOfA2a()];

  test.each(["json", "urlencoded"])("for a %s body that is rejected while it is read", async (type) => {
    const first = places.find(({ name, isText }) => name.endsWith(type) && !isText);
    await expectBounded(first!, refused);
  });

  test.each(places.filter(({ isText }) => isText))("$name", (one) =>
    expectBounded(one, [...texts, ...structures, refused[0]!]),
  );
  test.each(places.filter(({ isText }) => !isText))("$name", (one) => expectBounded(one, [...structures, texts[0]!]));
});
