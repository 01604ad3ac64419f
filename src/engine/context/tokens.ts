/**
 * Estimates of tokens. Tokenizers differ from model to model and are large tables, so this server has none: it counts characters, and corrects the
 * estimate by the usage that the provider reports.
 */
import type { Message } from "../../model/run/message.ts";

/** Characters of one token in text of ASCII letters, digits and signs. Prose has about 4.5, code and JSON about 3.3. */
const asciiPerToken = 4;

/** Tokens of a message that are not in its text: its role and its separators. */
const perMessage = 4;

/** Tokens of a picture, a sound or a file. Providers count between 85 and 3,000 for a picture. */
export const perMedia = 1500;

/** Returns the estimated tokens of a text. Characters outside of ASCII count as one token each, as in Chinese. */
export function tokensOf(text: string): number {
  let others = 0;
  for (let place = 0; place < text.length; place++) if (text.charCodeAt(place) > 127) others++;
  return (text.length - others) / asciiPerToken + others;
}

/** Returns the estimated tokens of a message. */
export function tokensOfMessage(message: Message): number {
  const media = message.role === "assistant" ? 0 : (message.media?.length ?? 0);
  let tokens = perMessage + tokensOf(message.content) + media * perMedia;
  if (message.role !== "assistant") return tokens;
  if (message.reasoning) tokens += tokensOf(message.reasoning);
  for (const { name, input } of message.toolCalls ?? []) tokens += tokensOf(name) + tokensOf(toText(input));
  return tokens;
}

/** Returns the characters of a message. A medium counts as many as would be its tokens. Much cheaper than an estimate of tokens. */
export function charactersOfMessage(message: Message): number {
  if (message.role !== "assistant") return message.content.length + (message.media?.length ?? 0) * perMedia;
  let characters = message.content.length + (message.reasoning?.length ?? 0);
  for (const { name, input } of message.toolCalls ?? []) characters += name.length + toText(input).length;
  return characters;
}

function toText(input: unknown): string {
  return typeof input === "string" ? input : (JSON.stringify(input) ?? "");
}
