/** Shortens a prompt without a model: notes replace old tool results, then old messages; at last, long new results are cut. */
import type { Message } from "../../model/run/message.ts";
import { type Entry, withContent } from "./prompt-view.ts";
import { tokensOfMessage } from "./tokens.ts";

/** Sizes in estimated tokens, of messages only. */
export interface Room {
  /** The prompt must not be larger. */
  readonly limit: number;
  /** The prompt is shortened to this size, so that the next requests need no compaction. */
  readonly target: number;
}

const removedNote =
  "[Earlier messages of this conversation were removed, because they did not fit the model's context.]";

/** A shorter result is not worth a note. */
const minReplaced = 200;

/** Results are not cut to less. */
const minCut = 400;

/** Returns the shortened prompt; the same array if nothing can be shortened. */
export function truncate(entries: readonly Entry[], room: Room): readonly Entry[] {
  const place = firstRecent(entries, room.target / 2);
  return cutResults(dropMessages(replaceResults(entries, place, room), room), room);
}

/**
 * Returns the place of the first message that stays as it is: the newest messages that fit into `tokens`, and at least the last turn. A turn begins at a
 * message of a user or a model, because calls and their results belong together.
 */
export function firstRecent(entries: readonly Entry[], tokens: number): number {
  let place = entries.length;
  let sum = 0;
  for (let next = entries.length - 1; next >= 0; next--) {
    const { message, tokens: size } = entries[next] as Entry;
    sum += size;
    if (place < entries.length && sum > tokens) break;
    if (message.role !== "tool") place = next;
  }
  return place;
}

/** Returns the sum of the entries' tokens. */
export function sizeOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Returns the newest message of a user before `place` among the run's own messages: its task. */
export function taskBefore(entries: readonly Entry[], place: number): Entry | undefined {
  return entries
    .slice(0, place)
    .findLast(({ message, position }) => position !== undefined && message.role === "user" && !message.isCorrection);
}

/** Replaces tool results and media before `place`, the oldest first, until the prompt has its target size. */
function replaceResults(entries: readonly Entry[], place: number, { target }: Room): readonly Entry[] {
  let size = sizeOf(entries);
  let changed: Entry[] | undefined;
  for (let index = 0; index < place && size > target; index++) {
    const entry = entries[index] as Entry;
    const content = noteFor(entry.message);
    if (content === undefined) continue;
    const shorter = replaced(entry, content);
    size -= entry.tokens - shorter.tokens;
    changed ??= [...entries];
    changed[index] = shorter;
  }
  return changed ?? entries;
}

function noteFor(message: Message): string | undefined {
  if (message.role === "assistant") return undefined;
  const { content, media = [] } = message;
  if (message.role === "user") return media.length > 0 ? `${content}\n[Files removed: ${media.length}.]` : undefined;
  if (content.length < minReplaced && media.length === 0) return undefined;
  return `[The result of ${message.toolName} was removed to save space: ${content.length} characters.]`;
}

/** Removes whole turns, the oldest first, until the prompt has its target size. The run's task and its last turn stay. */
function dropMessages(entries: readonly Entry[], { limit, target }: Room): readonly Entry[] {
  if (sizeOf(entries) <= limit) return entries;
  const last = firstRecent(entries, 0);
  let shorter = entries;
  for (let place = 1; place <= last && sizeOf(shorter) > target; place++) {
    if (entries[place]?.message.role === "tool") continue;
    const task = taskBefore(entries, place);
    shorter = [note, ...(task ? [task] : []), ...entries.slice(place)];
  }
  return sizeOf(shorter) < sizeOf(entries) ? shorter : entries;
}

const noteMessage: Message = { role: "user", content: removedNote };
const note: Entry = {
  ...{ message: noteMessage, tokens: tokensOfMessage(noteMessage), position: undefined, isReplaced: false },
};

/** Cuts the longest results of the last turns, until the prompt fits. */
function cutResults(entries: readonly Entry[], { limit }: Room): readonly Entry[] {
  let cut = entries;
  const lengths = entries.flatMap(({ message }) => (message.role === "tool" ? message.content.length : []));
  for (let most = Math.max(0, ...lengths) / 2; sizeOf(cut) > limit && most >= minCut; most /= 2) {
    cut = entries.map((entry) => {
      const { role, content } = entry.message;
      return role === "tool" && content.length > most ? replaced(entry, ends(content, most)) : entry;
    });
  }
  return cut;
}

/** The beginning and the end of a text, with a note between them. */
function ends(text: string, length: number): string {
  const half = Math.floor(length / 2);
  const [start, end] = [text.slice(0, half).toWellFormed(), text.slice(-half).toWellFormed()];
  return `${start}\n[${text.length - 2 * half} characters removed]\n${end}`;
}

function replaced(entry: Entry, content: string): Entry {
  const message = withContent(entry.message, content);
  return { ...entry, message, tokens: tokensOfMessage(message), isReplaced: true };
}
