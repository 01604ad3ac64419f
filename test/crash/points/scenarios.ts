/** What is done to reach each crash point, and what must be true afterwards. */
import type { ServerProcess } from "../../support/server-process.ts";
import type { EventStream } from "../../support/stream-client.ts";
import type { Moment, Step } from "./points.ts";

/** What there is to run: `till` waits for a person to confirm a call, `asking` for an answer, and `waiting` only for a while. */
export type Component = "teams/desk" | "teams/till" | "workflows/asking" | "workflows/waiting";

/** What lets a run that waits go on. */
const answers: Partial<Record<Component, Record<string, string>>> = {
  "teams/till": { requirements: '[{"confirmation":true,"tool_execution":{"tool_call_id":"pay-1"}}]' },
  "workflows/asking": { step_requirements: '[{"step_name":"ask","confirmed":true}]' },
};

/** One run, and the lives of the processes that die of it. */
export interface Scenario {
  /** Each process dies at one of them; the next one takes over, to die or to end the run. */
  readonly deaths: readonly (readonly [step: Step, moment: Moment])[];
  /** What brings the first process to its death. Default: a run that is followed. */
  readonly act?: "cancel" | "terminate" | "answer";
  /** Whose run it is. Default: that of a team that asks nobody. */
  readonly component?: Component;
  /** How the run may end. */
  readonly ends: readonly ("COMPLETED" | "CANCELLED" | "none")[];
}

const completed = ["COMPLETED"] as const;

/** Steps of which it matters whether they were committed: what would be made twice, or never told. */
const both: readonly Step[] = ["member created", "tool announced", "tool's result", "run completed", "log compacted"];

const afterwards: readonly Step[] = [
  "run started",
  "first words",
  "leader's turn",
  "member's turn",
  "member ended",
  "delegation's result",
  "last turn",
  "note begun",
  "note done",
  "pay begun",
  "pay done",
];

/** A few deaths of each kind of pause: each costs seconds. */
const pauses: readonly (readonly [Component, Step, Moment])[] = [
  ["teams/till", "run paused", "within"],
  ["teams/till", "run paused", "after"],
  ["teams/till", "run continued", "within"],
  ["teams/till", "run continued", "after"],
  ["workflows/asking", "run paused", "within"],
  ["workflows/asking", "run continued", "after"],
  ["workflows/waiting", "run paused", "after"],
  ["workflows/waiting", "run continued", "within"],
];

export const scenarios: readonly Scenario[] = [
  { deaths: [["run created", "within"]], ends: ["COMPLETED", "none"] },
  { deaths: [["run created", "after"]], ends: completed },
  ...both.flatMap((step) =>
    (["within", "after"] as const).map((moment) => ({ deaths: [[step, moment] as const], ends: completed })),
  ),
  ...afterwards.map((step) => ({ deaths: [[step, "after"] as const], ends: completed })),
  {
    deaths: [
      ["note done", "after"],
      ["run taken over", "after"],
    ],
    ends: completed,
  },
  {
    deaths: [
      ["pay done", "after"],
      ["recovery told", "within"],
    ],
    ends: completed,
  },
  {
    deaths: [
      ["pay done", "after"],
      ["pay done", "after"],
    ],
    ends: completed,
  },
  { deaths: [["cancel requested", "within"]], act: "cancel", ends: ["COMPLETED", "CANCELLED"] },
  { deaths: [["cancel requested", "after"]], act: "cancel", ends: ["CANCELLED"] },
  { deaths: [["run cancelled", "within"]], act: "cancel", ends: ["CANCELLED"] },
  { deaths: [["run cancelled", "after"]], act: "cancel", ends: ["CANCELLED"] },
  { deaths: [["run handed over", "within"]], act: "terminate", ends: completed },
  { deaths: [["run handed over", "after"]], act: "terminate", ends: completed },
  { deaths: [["lease ended", "after"]], act: "terminate", ends: completed },
  ...pauses.map(([component, step, moment]): Scenario => {
    const acts = component === "workflows/waiting" ? {} : ({ act: "answer" } as const);
    return { deaths: [[step, moment]], component, ends: completed, ...acts };
  }),
];

export const words = 12;

/** Starts the scenario's run and does what kills the process. @returns what its client saw; nothing when it got no answer */
export async function act(
  scenario: Scenario,
  server: ServerProcess,
  session: string,
): Promise<EventStream | undefined> {
  const { client } = server;
  const { component = "teams/desk" } = scenario;
  const order = { words, delay: scenario.act ? 60 : 3 };
  const stream = await client.start(component, order, { session_id: session }).catch(() => undefined);
  if (scenario.act === "answer") {
    await stream?.closed;
    if (stream) await answer(server, component, stream.runId, session).catch(() => undefined);
    return stream;
  }
  if (scenario.act) await stream?.next(({ data }) => data?.event === "TeamToolCallCompleted");
  if (scenario.act === "cancel" && stream) await client.cancel("teams/desk", stream.runId).catch(() => undefined);
  if (scenario.act === "terminate") server.signal("SIGTERM");
  return stream;
}

/** Answers what the run waits for, and follows it: the same answer however often it is sent. */
export function answer(
  { client }: ServerProcess,
  component: Component,
  runId: string,
  session: string,
): Promise<EventStream> {
  const fields = { session_id: session, ...answers[component] };
  return client.stream(`/${component}/runs/${runId}/continue`, fields, { "idempotency-key": session });
}
