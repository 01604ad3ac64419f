/** The JSON text of a run's events: the fields that all of them share are made once a run and name. */
import type { Hosted } from "../../define/platform.ts";
import type { UnnumberedEvent } from "../../model/frame.ts";
import type { ComponentKind } from "../../model/run.ts";
import type { Clock } from "../../model/runtime.ts";

/** Whose events they are. */
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

/** An event's name, and its members up to its own fields, which most events of a run share with the one before. */
interface Form {
  readonly second: number;
  readonly name: string;
  readonly start: string;
}

export class EventForm {
  readonly #clock: Clock;
  readonly #kind: ComponentKind;
  readonly #shared: string;
  readonly #forms = new Map<string, Form>();

  constructor(clock: Clock, { component, runId, parentRunId, sessionId, depth, step }: EventOrigin) {
    this.#clock = clock;
    this.#kind = component.kind;
    const shared = {
      [`${component.kind}_id`]: component.id,
      [`${component.kind}_name`]: component.name,
      run_id: runId,
      parent_run_id: parentRunId,
      session_id: sessionId,
      ...step,
      nested_depth: depth ?? 0,
    };
    this.#shared = membersOf(shared);
  }

  /** An event by its agent's name (`RunContent`); a team's has `Team` before it. Undefined fields are left out. */
  make(name: string, fields: Readonly<Record<string, unknown>> | undefined): UnnumberedEvent {
    const form = this.#form(name);
    const own = fields === undefined ? "" : membersOf(fields);
    return { name: form.name, members: own === "" ? form.start : `${form.start},${own}` };
  }

  /** Teams put their kind before it; workflows do so with events of the run, and have names of their own for those of steps. */
  #nameOf(agentsName: string): string {
    if (this.#kind === "team" && agentsName !== "CustomEvent") return `Team${agentsName}`;
    return this.#kind === "workflow" ? agentsName.replace(/^Run(?=[A-Z])/, "Workflow") : agentsName;
  }

  #form(agentsName: string): Form {
    const second = Math.floor(this.#clock.now() / 1000);
    const known = this.#forms.get(agentsName);
    if (known?.second === second) return known;
    const name = this.#nameOf(agentsName);
    const form = {
      second,
      name,
      start: flat(`"created_at":${second},"event":${JSON.stringify(name)},${this.#shared}`),
    };
    this.#forms.set(agentsName, form);
    return form;
  }
}

/** The same text in one piece: put together from many, it would be gone through again for each event that begins with it. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}

function membersOf(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(fields).slice(1, -1);
}
