/** Checks at the end of a history. */
import { isTerminal } from "../../src/model/run/run.ts";
import { frameHead, type RootView } from "./views.ts";
import type { World } from "./world.ts";

export function checkEnd(world: World): void {
  const { guarantees, database } = world;
  for (const root of guarantees.roots.values()) {
    if (root.deleted) continue;
    const head = database.heads.get(root.key);
    if (head?.status !== root.status || !isTerminal(root.status))
      guarantees.fail("L5", `Run ${root.key} is ${head?.status}, but ended as ${root.status}.`);
    for (const other of database.heads.values()) {
      if (other.rootKey === root.key && !isTerminal(other.status))
        guarantees.fail("L5", `Member ${other.key} of the finished run ${root.key} is ${other.status}.`);
    }
    if (root.status === "COMPLETED") {
      checkAnswers(world, root);
      checkState(world, root);
      checkMessages(world, root);
    }
  }
}

/** What a client shows of one run: the events that hold it, and the calls that ended the turn. */
interface Shown {
  parts: { readonly index: number; readonly content: unknown; readonly isWhole: boolean }[];
  /** Whether a tool has ended the turn: the next content is the whole answer. */
  stops: boolean;
}

interface AnswerEvent {
  readonly run_id: string;
  readonly content?: unknown;
  readonly content_type?: string;
  readonly discard_from_index?: number;
  readonly tool?: { readonly stop_after_tool_call?: boolean };
}

const answerEvents = /^(?:Team)?(?:Run(?:Content|Recovered|Completed)|ModelRequestStarted|ToolCallCompleted)$/;

/**
 * Each run's answer equals what a client shows that concatenates deltas, replaces them by a whole answer, and discards the events that RunRecovered
 * voids.
 */
function checkAnswers({ guarantees }: World, root: RootView): void {
  const runs = new Map<string, Shown>();
  for (const frame of root.frames) {
    const head = frameHead(frame);
    if (!head || !answerEvents.test(head.event)) continue;
    const data = JSON.parse(head.data) as AnswerEvent;
    const shown = runs.get(data.run_id) ?? { parts: [], stops: false };
    runs.set(data.run_id, shown);
    if (head.event.endsWith("Recovered"))
      shown.parts = shown.parts.filter(({ index }) => index < (data.discard_from_index ?? 0));
    else if (head.event.endsWith("RequestStarted")) shown.stops = false;
    else if (head.event.endsWith("CallCompleted")) shown.stops ||= data.tool?.stop_after_tool_call === true;
    else if (head.event.endsWith("Content")) {
      const isWhole = shown.stops || data.content_type !== "str";
      if (data.content !== undefined) shown.parts.push({ index: head.index, content: data.content, isWhole });
    } else if (JSON.stringify(textOf(shown)) !== JSON.stringify(data.content)) {
      const texts = `${JSON.stringify(textOf(shown))}, but its answer is ${JSON.stringify(data.content)}`;
      guarantees.fail("answer", `Run ${data.run_id} of the log of run ${root.key} showed ${texts}.`);
    }
  }
}

function textOf({ parts }: Shown): unknown {
  const whole = parts.findLastIndex(({ isWhole }) => isWhole);
  const last = whole < 0 ? parts : parts.slice(whole);
  return last.length === 1 ? last[0]?.content : last.map(({ content }) => content).join("");
}

/** A completed run has taken each accepted message once, in order, with one event each. */
function checkMessages({ guarantees, database }: World, root: RootView): void {
  const rows = database.messages.get(root.key) ?? [];
  const taken = rows.flatMap(({ body }) => {
    const { steering, content } = JSON.parse(body) as { steering?: number; content: string };
    return steering === undefined ? [] : [{ steering, content }];
  });
  const shown = root.frames.flatMap((frame) => {
    const head = frameHead(frame);
    return head && /^(?:Team)?RunMessage$/.test(head.event)
      ? [(JSON.parse(head.data) as { content: string }).content]
      : [];
  });
  const { steered = 0 } = database.heads.get(root.key) ?? {};
  const isInOrder = taken.length === steered && taken.every(({ steering }, place) => steering === place + 1);
  if (!isInOrder) guarantees.fail("messages", `Run ${root.key} took ${JSON.stringify(taken)} of ${steered} messages.`);
  const contents = taken.map(({ content }) => content);
  if (root.firstKept === 0 && JSON.stringify(shown) !== JSON.stringify(contents))
    guarantees.fail(
      "messages",
      `Run ${root.key} took ${JSON.stringify(contents)} and showed ${JSON.stringify(shown)}.`,
    );
  for (const [number, content] of root.accepted)
    if (contents[number - 1] !== content) guarantees.fail("messages", `Run ${root.key} lost its message ${number}.`);
}

/** A tool's change of session state is stored if its result is. */
function checkState({ guarantees, database }: World, root: RootView): void {
  const session = database.sessions.get(root.sessionKey);
  const state = JSON.parse(session?.state ?? "{}") as Record<string, unknown>;
  for (const { key, root_key, run_id } of database.runs.values()) {
    if (root_key !== root.key) continue;
    for (const { body } of database.messages.get(key) ?? []) {
      const message = JSON.parse(body) as { role: string; toolName?: string; toolCallId?: string; isError?: boolean };
      if (message.toolName !== "note" || message.role !== "tool" || message.isError) continue;
      const note = `${run_id}/${message.toolCallId}`;
      if (!(note in state))
        guarantees.fail("state", `The result of ${note} is stored, but its change of session state is not.`);
    }
  }
}
