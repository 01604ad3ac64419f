/** Components whose message specifies their models' output, as JSON. */
import { type Agent, defineAgent, defineTeam, type Team } from "troupe";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "troupe/testing";

/** An answer with `deltas` deltas, all of them different. */
export interface Order {
  readonly deltas: number;
  /** Characters of each delta. Default: a word. */
  readonly size?: number;
  /** Milliseconds between deltas, and before the first. */
  readonly delay?: number;
  readonly wait?: number;
}

/** A team's output: all members at once by their orders, then the leader by its own. */
export interface TeamOrder extends Order {
  readonly members: readonly [left: Order, right: Order];
}

function obey({ deltas, size = 0, delay, wait }: Order): ScriptedTurn {
  const text = Array.from({ length: deltas }, (_, place) => `${place} `.padEnd(size, "é"));
  return { text, ...(delay && { delay }), ...(wait && { wait }) };
}

/** The leader's turn. */
function lead({ message, results }: ScriptedCall): ScriptedTurn {
  const { members, ...own } = JSON.parse(message) as TeamOrder;
  if (results.length > 0) return obey(own);
  const toolCalls = ["left", "right"].map((member_id, place) => ({
    name: "delegate_task_to_member",
    input: { member_id, task: JSON.stringify(members[place]) },
  }));
  return { toolCalls };
}

const model = scriptedModel(({ message }) => obey(JSON.parse(message) as Order));

/** Takes an `Order`. Runs of a session execute one after the other (`talker`) or at the same time (`parallel`). */
export const talker: Agent = defineAgent({ id: "talker", model });
export const parallel: Agent = defineAgent({ id: "parallel", model, sessionPolicy: "parallel" });

/** Takes a `TeamOrder`. */
export const desk: Team = defineTeam({
  id: "desk",
  model: scriptedModel(lead),
  members: [defineAgent({ id: "left", model }), defineAgent({ id: "right", model })],
});
