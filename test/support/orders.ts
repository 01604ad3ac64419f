/** Components whose models say what the message orders, as JSON. */
import { type Agent, defineAgent, defineTeam, type Team } from "troupe";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "troupe/testing";

/** An answer: so many deltas, all of them different. */
export interface Order {
  readonly deltas: number;
  /** Characters of each delta. Default: a word. */
  readonly size?: number;
  /** Milliseconds between deltas, and before the first. */
  readonly delay?: number;
  readonly wait?: number;
}

/** What a team does: each member as ordered, at the same time, then the leader as ordered. */
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

/** Takes an `Order`; runs of a session one after the other, or at the same time. */
export const talker: Agent = defineAgent({ id: "talker", model });
export const parallel: Agent = defineAgent({ id: "parallel", model, sessionPolicy: "parallel" });

/** Takes a `TeamOrder`. */
export const desk: Team = defineTeam({
  id: "desk",
  model: scriptedModel(lead),
  members: [defineAgent({ id: "left", model }), defineAgent({ id: "right", model })],
});
