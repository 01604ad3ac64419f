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
      checkAnswer(world, root);
      checkState(world, root);
      checkMessages(world, root);
    }
  }
}

/** A client that concatenates deltas and discards the events that RunRecovered voids has the final answer at the end. */
function checkAnswer({ guarantees }: World, root: RootView): void {
  let shown: { readonly index: number; readonly content: string }[] = [];
  let answer: unknown;
  for (const frame of root.frames) {
    const head = frameHead(frame);
    if (!head || !/^(?:Team)?Run(?:Content|Message|Recovered|Completed)$/.test(head.event)) continue;
    const data = JSON.parse(head.data) as { run_id: string; content?: string; discard_from_index?: number };
    if (data.run_id !== root.runId) continue;
    if (head.event.endsWith("Recovered")) shown = shown.filter(({ index }) => index < (data.discard_from_index ?? 0));
    else if (head.event.endsWith("Completed")) answer = data.content;
    else if (head.event.endsWith("Message")) {
      // A run that was about to end with the result of a tool goes on, and its answer does not contain the result.
      if (String(shown.at(-1)?.content).startsWith("finish took ")) shown.pop();
    } else shown.push({ index: head.index, content: data.content ?? "" });
  }
  const text = shown.map(({ content }) => content).join("");
  if (text !== answer && !text.endsWith(String(answer)))
    guarantees.fail(
      "answer",
      `Run ${root.key} streamed ${JSON.stringify(text)}, but its answer is ${JSON.stringify(answer)}.`,
    );
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
