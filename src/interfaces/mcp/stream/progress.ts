/** Translates the events of a run's log to the messages of progress notifications. */
import { baseName } from "../../../model/run/event-name.ts";
import type { ClientId } from "./cursor.ts";

/** The members of events that are used here. */
interface LogEvent {
  readonly run_id: string;
  readonly created_at: number;
  readonly agent_name?: string;
  readonly agent_id?: string;
  readonly team_name?: string;
  readonly team_id?: string;
  readonly workflow_name?: string;
  readonly workflow_id?: string;
  readonly step_name?: string;
  readonly iteration?: number;
  readonly tool?: { readonly tool_name?: string };
}

type Describe = (event: LogEvent, who: string) => string;

const step = (event: LogEvent): string => `Step ${event.step_name ?? ""}`.trim();
const tool = (event: LogEvent): string => event.tool?.tool_name ?? "a tool";

/** Messages by event name, without the prefixes `Team` and `Workflow`. Other events have no notification. */
const messages: Readonly<Record<string, Describe>> = {
  RunStarted: (_, who) => `${who} started`,
  RunContinued: (_, who) => `${who} continues`,
  RunRecovered: (_, who) => `${who} continues after an interruption`,
  RunPaused: (_, who) => `${who} waits for an answer`,
  RunCompleted: (_, who) => `${who} finished`,
  RunError: (_, who) => `${who} failed`,
  RunCancelled: (_, who) => `${who} was cancelled`,
  ReasoningStarted: (_, who) => `${who} thinks`,
  ToolCallStarted: (event, who) => `${who} calls ${tool(event)}`,
  ToolCallCompleted: (event) => `${tool(event)} finished`,
  ToolCallError: (event) => `${tool(event)} failed`,
  StepStarted: (event) => `${step(event)} started`,
  StepCompleted: (event) => `${step(event)} finished`,
  StepError: (event) => `${step(event)} failed`,
  LoopIterationStarted: (event) => `Iteration ${event.iteration ?? ""} started`.replace("  ", " "),
};

/** `{"created_at":` and a time in seconds: every event begins with them. */
const timeStart = '{"created_at":'.length;

/**
 * Selects the events that cause a notification. Events of an answer's text come in large numbers, so they cause at most one notification per
 * second. The decision depends only on the log from the last notified event on, so a resumed stream makes the same one.
 */
export class ProgressFilter {
  #second: string | undefined;

  /** Forgets the last notified event. */
  reset(): void {
    this.#second = undefined;
  }

  /** Whether a chunk of an answer in this second has no notification. */
  skipsChunk(second: string): boolean {
    return second === this.#second;
  }

  /** The message for an event; undefined for an event without notification. */
  messageOf(name: string, data: string): string | undefined {
    const base = baseName(name);
    const second = data.slice(timeStart, timeStart + 10);
    if (base === "RunContent") {
      if (this.skipsChunk(second)) return undefined;
      this.#second = second;
      return `${nameIn(JSON.parse(data) as LogEvent)} answers`;
    }
    const describe = Object.hasOwn(messages, base) ? messages[base] : undefined;
    if (!describe) return undefined;
    this.#second = second;
    const event = JSON.parse(data) as LogEvent;
    return describe(event, nameIn(event));
  }
}

function nameIn({ agent_name, team_name, workflow_name, agent_id, team_id, workflow_id }: LogEvent): string {
  return agent_name ?? team_name ?? workflow_name ?? agent_id ?? team_id ?? workflow_id ?? "The run";
}

/** The notification for an event. Its progress is the number of events so far, which increases with each notification. */
export function progressNotification(progressToken: ClientId, index: number, message: string): object {
  return {
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken, progress: index + 1, message },
  };
}
