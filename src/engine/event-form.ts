/** The JSON text of a run's events: the fields that all of them share are made once a run and name. */
import type { Component } from "../define/platform.ts";
import type { UnnumberedEvent } from "../events/frame.ts";
import type { Clock } from "../model/runtime.ts";

/** Whose events they are. */
export interface EventOrigin {
  readonly component: Pick<Component, "kind" | "id" | "name">;
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly sessionId: string;
}

export class EventForm {
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #shared: string;
  readonly #heads = new Map<string, { name: string; head: string }>();

  constructor(clock: Clock, { component, runId, parentRunId, sessionId }: EventOrigin) {
    this.#clock = clock;
    this.#prefix = component.kind === "team" ? "Team" : "";
    const shared = {
      [`${component.kind}_id`]: component.id,
      [`${component.kind}_name`]: component.name,
      run_id: runId,
      parent_run_id: parentRunId,
      session_id: sessionId,
      nested_depth: 0,
    };
    this.#shared = JSON.stringify(shared).slice(1, -1);
  }

  /** An event by its agent's name (`RunContent`); a team's has `Team` before it. Undefined fields are left out. */
  make(name: string, fields: Readonly<Record<string, unknown>> | undefined): UnnumberedEvent {
    let form = this.#heads.get(name);
    if (!form) {
      const full = name === "CustomEvent" ? name : this.#prefix + name;
      form = { name: full, head: `,"event":${JSON.stringify(full)},${this.#shared}` };
      this.#heads.set(name, form);
    }
    const own = fields === undefined ? "" : JSON.stringify(fields).slice(1, -1);
    const start = `{"created_at":${Math.floor(this.#clock.now() / 1000)}${form.head}`;
    return { name: form.name, json: own === "" ? `${start}}` : `${start},${own}}` };
  }
}
