/** The JSON text of a run's events: the fields that all events share are serialised once for each name. */
import type { Hosted } from "../../define/platform.ts";
import type { UnnumberedEvent } from "../../model/frame.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { Clock } from "../../model/runtime.ts";
import type { RelayedFields } from "../loops/contract.ts";

/** The run that the events belong to. */
export interface EventOrigin {
  readonly component: Pick<Hosted, "kind" | "id" | "name">;
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly sessionId: string;
  /** Workflows above this one. */
  readonly depth?: number | undefined;
  /** Members of every event of a run in a workflow's step. */
  readonly step?: Readonly<Record<string, unknown>> | undefined;
}

/** An event's name and its serialised common fields, which most events of a run share with the preceding event. */
interface Form {
  readonly second: number;
  readonly name: string;
  readonly start: string;
}

export class EventForm {
  readonly #clock: Clock;
  readonly #kind: ComponentKind;
  readonly #origin: EventOrigin;
  readonly #shared: string;
  readonly #forms = new Map<string, Form>();

  constructor(clock: Clock, origin: EventOrigin) {
    const { component, sessionId, depth, step } = origin;
    this.#clock = clock;
    this.#origin = origin;
    this.#kind = component.kind;
    this.#shared = membersOf({ ...this.#own, session_id: sessionId, ...step, nested_depth: depth ?? 0 });
  }

  /**
   * Returns an event by its agent's name (`RunContent`); a team's name begins with `Team`. Undefined fields are left out. Events other than deltas have
   * their time in milliseconds, too, because traces show durations.
   */
  make(name: string, fields: Readonly<Record<string, unknown>> | undefined): UnnumberedEvent {
    const now = this.#clock.now();
    const form = this.#form(name, Math.floor(now / 1000));
    const own = fields === undefined ? "" : membersOf(fields);
    const start = name === "RunContent" ? form.start : `${form.start},"created_at_ms":${now}`;
    return { name: form.name, members: own === "" ? start : `${start},${own}` };
  }

  /** Converts another server's event of this run, or of a member there, to an event at this run's position. */
  relayed(fields: RelayedFields, more: Readonly<Record<string, unknown>> | undefined): UnnumberedEvent {
    const { runId, step, depth = 0 } = this.#origin;
    const { event, run_id, nested_depth } = fields;
    const own = run_id === runId ? this.#own : undefined;
    const place = { ...step, nested_depth: typeof nested_depth === "number" ? nested_depth + depth : nested_depth };
    return { name: event, members: membersOf({ ...fields, ...own, ...place, ...more }) };
  }

  /** The fields that identify the run in each event. */
  get #own(): Readonly<Record<string, unknown>> {
    const { component, runId, parentRunId } = this.#origin;
    const { kind, id, name } = component;
    return { [`${kind}_id`]: id, [`${kind}_name`]: name, run_id: runId, parent_run_id: parentRunId };
  }

  /** Team events begin with `Team`. Workflows replace `Run` by `Workflow`, and their step events have other names. */
  #nameOf(agentEventName: string): string {
    if (this.#kind === "team" && agentEventName !== "CustomEvent") return `Team${agentEventName}`;
    return this.#kind === "workflow" ? agentEventName.replace(/^Run(?=[A-Z])/, "Workflow") : agentEventName;
  }

  #form(agentEventName: string, second: number): Form {
    const known = this.#forms.get(agentEventName);
    if (known?.second === second) return known;
    const name = this.#nameOf(agentEventName);
    const form = {
      second,
      name,
      start: flat(`"created_at":${second},"event":${JSON.stringify(name)},${this.#shared}`),
    };
    this.#forms.set(agentEventName, form);
    return form;
  }
}

/** Returns the same text as one flat string: a concatenated string would be traversed again for each event that begins with it. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}

function membersOf(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(fields).slice(1, -1);
}
