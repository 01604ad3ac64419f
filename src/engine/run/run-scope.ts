/** The scopes that loops write through: a root's, and members' under it. */
import type { RunContext } from "../../define/context.ts";
import type { Component } from "../../define/platform.ts";
import type { Message, PlacedMessage } from "../../model/message.ts";
import type { RunInput, RunOptions, RunOutput } from "../../model/record.ts";
import { isTerminal, type TerminalStatus } from "../../model/run.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Settings } from "../../model/settings.ts";
import type { MemberScope } from "../loop-seam.ts";
import { modelId, providerName } from "../model-call/models.ts";
import { patiently } from "../process/patiently.ts";
import { EventForm } from "./event-form.ts";
import type { RootRun } from "./root-run.ts";

/** Which run a scope is of. */
export interface RunIdentity {
  readonly key: number;
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly component: Component;
  readonly input: RunInput;
  readonly options: RunOptions;
  /** Messages that are stored already, for a run that goes on. */
  readonly messages: readonly PlacedMessage[];
  /** How it ended, for a member that an earlier attempt has brought to its end. */
  readonly earlierEnd?: MemberScope["earlierEnd"];
}

const noCalls: ReadonlySet<string> = new Set();

export class Scope implements MemberScope {
  readonly root: RootRun;
  readonly runKey: number;
  readonly component: Component;
  readonly input: RunInput;
  readonly options: RunOptions;
  readonly context: RunContext;
  soFar?: () => RunOutput;
  readonly interrupted: ReadonlySet<string>;
  readonly earlierEnd: MemberScope["earlierEnd"];
  readonly #form: EventForm;
  readonly #messages: PlacedMessage[];
  #text = "";

  constructor(root: RootRun, identity: RunIdentity) {
    const { component, runId, options } = identity;
    this.root = root;
    this.runKey = identity.key;
    this.component = component;
    this.input = identity.input;
    this.options = options;
    this.#messages = [...identity.messages];
    for (const { message } of identity.messages) if (message.role === "assistant") this.#text += message.content;
    this.interrupted = root.recovery?.checkpoints.get(runId)?.startedCalls ?? noCalls;
    this.earlierEnd = identity.earlierEnd;
    this.context = {
      runId,
      rootRunId: root.runId,
      componentId: component.id,
      session: { id: root.session.id, state: root.session.state.value },
      principal: root.principal,
      userId: root.userId,
      dependencies: { ...component.dependencies, ...options.dependencies },
      metadata: options.metadata ?? {},
    };
    this.#form = new EventForm(root.parts.runtime.clock, {
      component,
      runId,
      parentRunId: identity.parentRunId,
      sessionId: root.session.id,
    });
  }

  get signal(): AbortSignal {
    return this.root.signal;
  }

  get runtime(): Runtime {
    return this.root.parts.runtime;
  }

  get settings(): Settings {
    return this.root.parts.settings;
  }

  get messages(): readonly PlacedMessage[] {
    return this.#messages;
  }

  /** Text that the run has streamed so far. */
  get text(): string {
    return this.#text;
  }

  emit(name: string, fields?: Readonly<Record<string, unknown>>): void {
    if (name === "RunContent" && typeof fields?.content === "string") this.#text += fields.content;
    this.root.append(this.#form.make(name, fields));
  }

  tellRecovery(): void {
    const { recovery } = this.root;
    const checkpoint = recovery?.checkpoints.get(this.context.runId);
    if (!checkpoint) return;
    this.emit("RunRecovered", { attempt: recovery?.attempt, discard_from_index: checkpoint.discardFrom });
  }

  /** The event that ends the run, for the flush that ends it. */
  event(name: string, fields: Readonly<Record<string, unknown>>): ReturnType<EventForm["make"]> {
    return this.#form.make(name, fields);
  }

  room(): Promise<void> | undefined {
    return this.root.parts.journal.room(this.root.writer);
  }

  say(message: Message): PlacedMessage {
    this.root.check();
    const { clock, randomness } = this.runtime;
    const placed = { id: randomness.uuid(), position: this.#messages.length, createdAt: clock.now(), message };
    this.#messages.push(placed);
    const { id, position, createdAt } = placed;
    this.root.addMessage({ runKey: this.runKey, position, id, createdAt, body: JSON.stringify(message) });
    return placed;
  }

  commit(): Promise<void> {
    return this.root.commit();
  }

  async history(runs: number): Promise<readonly Message[]> {
    if (runs === 0) return [];
    const { store } = this.root.parts;
    const { key, seq } = this.root.session;
    const { kind, id } = this.component;
    const rows = await patiently(this.root.parts, this.signal, () =>
      store.history({ key, beforeSeq: seq }, { kind, id }, runs),
    );
    return rows.map(({ body }) => JSON.parse(body) as Message);
  }

  async member(component: Component, input: RunInput, toolCallId: string): Promise<MemberScope> {
    const { store, runtime } = this.root.parts;
    const key = await patiently(this.root.parts, this.signal, () => store.nextRunKey());
    this.root.check();
    const runId = runtime.randomness.uuid();
    this.root.addMember({
      key,
      runId,
      parentKey: this.runKey,
      kind: component.kind,
      componentId: component.id,
      componentName: component.name,
      userId: this.root.userId,
      input: JSON.stringify(input),
      model: modelId(component.model),
      modelProvider: providerName(component.model),
      createdAt: runtime.clock.now(),
      toolCallId,
    });
    return this.#memberScope({ key, runId, component, input, messages: [] });
  }

  earlierMember(component: Component, toolCallId: string): MemberScope | undefined {
    const found = this.root.recovery?.members.find(
      ({ row }) =>
        row.parentKey === this.runKey &&
        row.toolCallId === toolCallId &&
        row.kind === component.kind &&
        row.componentId === component.id,
    );
    if (!found) return undefined;
    const { key, runId, input, status, output } = found.row;
    const end = isTerminal(status) && output !== null ? { status, output: JSON.parse(output) as RunOutput } : undefined;
    const told = JSON.parse(input) as RunInput;
    return this.#memberScope({ key, runId, component, input: told, messages: found.messages, earlierEnd: end });
  }

  #memberScope(identity: Omit<RunIdentity, "parentRunId" | "options">): Scope {
    const { outputSchema: _, ...options } = this.options;
    return new Scope(this.root, { ...identity, parentRunId: this.context.runId, options });
  }

  end(status: TerminalStatus, output: RunOutput): void {
    this.root.addMemberEnd(this.runKey, status, output);
  }
}
