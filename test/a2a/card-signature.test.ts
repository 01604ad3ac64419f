/**
 * The signed text of a card equals the text that the stock library of A2A 1.0 verifies. Version 1.3 of the library drops security schemes. If a later
 * version keeps them, these tests fail, and the signed text must contain them (`signedText`).
 */
import { AgentCard, canonicalizeAgentCard } from "@a2a-js/sdk";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Card } from "../../src/interfaces/a2a/cards/card.ts";
import { signedText } from "../../src/interfaces/a2a/cards/sign.ts";
import { card10, combinedCard } from "../../src/interfaces/a2a/cards/versions.ts";

const text = fc.oneof(fc.constant(""), fc.string({ unit: "binary", maxLength: 8 }));
const texts = fc.array(text, { maxLength: 3 });
const bearer = fc.record({
  kind: fc.constant("bearer" as const),
  format: fc.option(text, { nil: undefined }),
  description: text,
});
const cookie = fc.record({ kind: fc.constant("cookie" as const), cookie: text });
const skill = fc.record({ id: text, name: text, description: text, tags: texts, examples: texts, outputModes: texts });
const card: fc.Arbitrary<Card> = fc.record({
  name: text,
  description: text,
  version: text,
  provider: fc.option(fc.record({ organization: text, url: text, more: text }), { nil: undefined }),
  rpcUrl: text,
  restUrl: text,
  inputModes: texts,
  outputModes: texts,
  skills: fc.array(skill, { maxLength: 3 }),
  pushes: fc.boolean(),
  isExtendable: fc.boolean(),
  securities: fc.array(fc.record({ name: fc.constantFrom("bearer", "cookie"), scheme: fc.oneof(bearer, cookie) }), {
    maxLength: 2,
  }),
});

test("the signed text of any card equals the canonical form of the stock library", () => {
  fc.assert(
    fc.property(card, (some) => {
      expect(signedText(some)).toBe(canonicalizeAgentCard(AgentCard.fromJSON(card10(some))));
    }),
  );
});

test("the signed text of a card that serves both versions equals the canonical form of the stock library", () => {
  fc.assert(
    fc.property(card, (some) => {
      expect(signedText(some)).toBe(canonicalizeAgentCard(AgentCard.fromJSON(combinedCard(some))));
    }),
  );
});
