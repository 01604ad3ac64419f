/** The content of a request: a new message with the conversation before it, or the answers to the questions of a paused run. */
import type { GivenMessage } from "../../../model/run/record.ts";
import { invalidAt } from "../errors.ts";
import { type QuestionName, questionOf } from "../names.ts";
import { type Content, readContent } from "./content.ts";

/** The answer to a question of a paused run. */
export interface GivenAnswer extends QuestionName {
  /** Whether a call is approved. Undefined if the text says it. */
  readonly approve?: boolean | undefined;
  /** The reason of a rejection. */
  readonly reason?: string | undefined;
  readonly text: string;
}

/** A request's input. It has answers, or a message. */
export interface Conversation {
  /** Texts of system and developer messages. */
  readonly instructions: string | undefined;
  /** The messages before the last one. */
  readonly earlier: readonly GivenMessage[];
  /** The last message; undefined if the request answers questions. */
  readonly message: Content | undefined;
  readonly answers: readonly GivenAnswer[];
}

/** A message or an item of either API, read. */
export type Entry =
  | { readonly role: "system" | "user" | "assistant"; readonly content: Content }
  | { readonly role: "answer"; readonly answer: GivenAnswer }
  /** An item without a text: a call, its result from an earlier turn, reasoning. */
  | { readonly role: "other" };

/**
 * Joins the entries of a request. Answers count only at the end: before a later message, they belong to a turn that is over.
 *
 * @param name of the parameter that has the entries
 * @throws TroupeError `validation` if the last entry is neither a user's message nor an answer
 */
export function conversationOf(entries: readonly Entry[], name: string): Conversation {
  const system = entries.flatMap((entry) => (entry.role === "system" ? [entry.content.text] : []));
  const instructions = system.length > 0 ? system.join("\n\n") : undefined;
  const spoken = entries.filter((entry) => entry.role !== "system" && entry.role !== "other");
  const end = spoken.findLastIndex((entry) => entry.role !== "answer");
  const answers = spoken.slice(end + 1).flatMap((entry) => (entry.role === "answer" ? [entry.answer] : []));
  if (answers.length > 0) return { instructions, earlier: [], message: undefined, answers };
  const last = spoken[end];
  if (last?.role !== "user") throw invalidAt([name], "The last message must be a user's message.");
  const earlier = spoken.slice(0, end).flatMap(toGiven);
  return { instructions, earlier, message: last.content, answers: [] };
}

/** Calls and their results are left out: only the model's own turns may make the server call a tool. */
function toGiven(entry: Entry): GivenMessage[] {
  if (entry.role !== "assistant" && entry.role !== "user") return [];
  const { text, media } = entry.content;
  if (entry.role === "assistant") return text === "" ? [] : [{ role: "assistant", content: text }];
  return [{ role: "user", content: text, ...(media.length > 0 && { media }) }];
}

/** The answer to the question that an id names. @throws TroupeError `validation` */
export function answerTo(
  id: string | null | undefined,
  path: readonly (string | number)[],
  answer: Omit<GivenAnswer, keyof QuestionName>,
): Entry {
  const question = id ? questionOf(id) : undefined;
  if (!question) return { role: "other" };
  if (answer.text === "" && answer.approve === undefined) throw invalidAt(path, "The answer is empty.");
  return { role: "answer", answer: { ...question, ...answer } };
}

/** The entry of a message with a role. */
export function messageEntry(
  role: string,
  content: Parameters<typeof readContent>[0],
  path: readonly (string | number)[],
): Entry {
  const read = readContent(content, [...path, "content"]);
  if (role === "system" || role === "developer") return { role: "system", content: read };
  return { role: role === "assistant" ? "assistant" : "user", content: read };
}
