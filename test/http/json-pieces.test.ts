/** JSON responses in pieces: the same text as in one piece. */

import fc from "fast-check";
import Fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { parseStored, rawJson, sendJson, toPieces } from "../../src/http/transport/json-pieces.ts";

const long = 16 * 1024;

/** Values with strings that stay raw: long ones with characters that JSON escapes, and surrogate pairs. */
const longText = fc
  .tuple(fc.constantFrom('"', "\\", "\n", "a", "ü", "😀", "\ud800", 'x\\"', "\u2028"), fc.nat(5))
  .map(([unit, more]) => unit.repeat(Math.ceil(long / unit.length) + more));
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.jsonValue(),
    longText,
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), longText), tie("any"), { maxKeys: 4 }),
  ),
})).any;

test("a large stored JSON text is serialized unchanged, and its long strings are not parsed", () => {
  fc.assert(
    fc.property(value, (member) => {
      const stored = JSON.stringify({ padding: "p".repeat(256 * 1024), member });
      const parsed = parseStored(stored);
      expect(toPieces(parsed).join("")).toBe(stored);
      expect(JSON.stringify(parsed)).toBe(stored);
      // A parsed text inside another text is a string value.
      expect(JSON.stringify({ inside: JSON.stringify(parsed) })).toBe(JSON.stringify({ inside: stored }));
    }),
    { numRuns: 50 },
  );
  const longName = JSON.stringify({ ["n".repeat(long)]: "p".repeat(256 * 1024) });
  expect(toPieces(parseStored(longName)).join("") === longName).toBe(true);
  const { padding } = parseStored(JSON.stringify({ padding: "p".repeat(256 * 1024) })) as { padding: unknown };
  expect([typeof padding, String(padding)]).toEqual(["object", "p".repeat(256 * 1024)]);
  expect(parseStored('{"short":"text"}')).toEqual({ short: "text" });
});

test("a response has the same body whole and in pieces, and the event loop runs between the pieces", async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  const small = { a: [1, rawJson('{"b":"ü"}')] };
  const large = { text: "😀a".repeat(1_500_000), raw: rawJson(`{"c":"${"d".repeat(3_000_000)}"}`) };
  const turns = { count: 0, isOver: false };
  const countTurns = (): void => {
    turns.count += 1;
    if (!turns.isOver) setImmediate(countTurns);
  };
  app.get("/small", (_, reply) => reply.send(sendJson(reply, small)));
  app.get("/large", async (_, reply) => sendJson(reply, large));
  const answers = [await app.inject("/small")];
  countTurns();
  answers.push(await app.inject("/large"));
  turns.isOver = true;
  for (const [place, sent] of [small, large].entries()) {
    expect(answers[place]?.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answers[place]?.body === JSON.stringify(sent)).toBe(true);
  }
  expect(turns.count).toBeGreaterThan(4);
});
