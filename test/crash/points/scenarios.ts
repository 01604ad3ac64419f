/** The actions that reach each crash point, and the expected outcomes. */
import type { ServerProcess } from "../../support/server-process.ts";
import type { EventStream } from "../../support/stream-client.ts";
import type { Moment, Step } from "./points.ts";

/** The components: `desk` never pauses, `crew` is in task mode, `till` pauses to confirm a call, `asking` pauses for an answer, `waiting` pauses until its answerTimeout. */
export type Component = "teams/desk" | "teams/crew" | "teams/till" | "workflows/asking" | "workflows/waiting";

/** The answers that continue a paused run. */
const answers: Partial<Record<Component, Record<string, string>>> = {
  "teams/till": { requirements: '[{"confirmation":true,"tool_execution":{"tool_call_id":"pay-1"}}]' },
  "workflows/asking": { step_requirements: '[{"step_name":"ask","confirmed":true}]' },
};

/** One run, and the crash points of the processes that execute it. */
export interface Scenario {
  /** Each process dies at one of these points. The next process takes over, and dies at the next point or completes the run. */
  readonly deaths: readonly (readonly [step: Step, moment: Moment])[];
  /** The action that reaches the first crash point. Default: start and follow the run. */
  readonly act?: "cancel" | "terminate" | "answer";
  /** The component of the run. Default: `teams/desk`. */
  readonly component?: Component;
  /** Allowed final statuses of the run; `none` if its creation was lost. */
  readonly ends: readonly ("COMPLETED" | "CANCELLED" | "none")[];
}

const completed = ["COMPLETED"] as const;

/** Steps tested before and after their commit: an effect could be repeated, or an event lost. */
const both: readonly Step[] = [
  "member created",
  "tool call started",
  "tool's result",
  "run completed",
  "log compacted",
];

const afterwards: readonly Step[] = [
  "run started",
  "first content",
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

/** A few crash points of each kind of pause, because each costs seconds. */
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

/** Steps of a team in task mode, which its list must survive. */
const ofTasks: readonly (readonly [Step, Moment])[] = [
  ["task created", "within"],
  ["task updated", "after"],
  ["member ended", "after"],
  ["task list reported", "after"],
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
      ["recovery event", "within"],
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
  ...ofTasks.map((death): Scenario => ({ deaths: [death], component: "teams/crew", ends: completed })),
  ...pauses.map(([component, step, moment]): Scenario => {
    const acts = component === "workflows/waiting" ? {} : ({ act: "answer" } as const);
    return { deaths: [[step, moment]], component, ends: completed, ...acts };
  }),
];

export const words = 12;

/** Starts the scenario's run and executes its action. @returns the client's stream, or undefined without a response */
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

/** Answers the run's pause and follows the run. Repeated answers are equal. */
export function answer(
  { client }: ServerProcess,
  component: Component,
  runId: string,
  session: string,
): Promise<EventStream> {
  const fields = { session_id: session, ...answers[component] };
  return client.stream(`/${component}/runs/${runId}/continue`, fields, { "idempotency-key": session });
}
