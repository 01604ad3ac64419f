/** The scopes of loops: a root run's, and members' under it. */

import { isShaped } from "../../define/component.ts";
import type { A2aMessage, RunContext } from "../../define/context.ts";
import { redactInput } from "../../define/guardrails/redact.ts";
import type { Component, Hosted } from "../../define/platform.ts";
import type { KnowledgeSearch } from "../../knowledge/search.ts";
import { type ArtifactOptions, toStoredArtifact } from "../../model/run/artifact.ts";
import type { AssistantMessage, Message, ModelUsage, PlacedMessage } from "../../model/run/message.ts";
import {
  type Answered,
  copiedMessagesOf,
  type FirstMessage,
  type RunInput,
  type RunOptions,
  type RunOutput,
} from "../../model/run/record.ts";
import { type RecordedRequest, recordedRequests } from "../../model/run/recorded-request.ts";
import { isTerminal, type TerminalStatus } from "../../model/run/run.ts";
import { artifactName, requestName } from "../../model/run/run-marks.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Settings } from "../../model/settings.ts";
import type { ResponseStore } from "../../store/contract/responses.ts";
import type { Mark } from "../../store/contract/store.ts";
import type { Connections } from "../connections/connections.ts";
import { memberLevels } from "../limits/member-levels.ts";
import { Meter, unlimited } from "../limits/meter.ts";
import { toResponse } from "../loops/completed.ts";
import type { MemberScope, RelayedFields, SessionPast, StepPlace } from "../loops/contract.ts";
import { stepIdOf } from "../loops/workflow/places.ts";
import type { ToolServers } from "../mcp/tool-servers.ts";
import { modelNames, modelOf } from "../model-call/models.ts";
import type { PriceBook } from "../model-call/prices.ts";
import { namesInMetrics, toModelUsage } from "../model-call/usage.ts";
import { answeredBefore, withCalls } from "../pause/answered-questions.ts";
import { retryWhileUnavailable } from "../process/retry-while-unavailable.ts";
import { emittedText } from "./emitted-text.ts";
import { EventForm } from "./event-form.ts";
import type { Inbox } from "./inbox.ts";
import { endsStep } from "./recovery.ts";
import { RelayedLog, relayField } from "./relayed-log.ts";
import type { RootRun } from "./root-run.ts";
import type { RunIdentity } from "./run-identity.ts";
import { RunSpans, stepSpan, toolSpan } from "./run-spans.ts";
import { sessionPast } from "./session-past.ts";

/** The fields that a member's scope inherits from its parent. */
type Above = Pick<RunIdentity, "parentRunId" | "step" | "callPlace">;

/** The fields that `#memberScope` adds to the identity of a member. */
type Inherited = "options" | "levels";

function toA2aMessage({ messageId, metadata = {}, extensions = [], referenceTaskIds = [] }: FirstMessage): A2aMessage {
  return { messageId, metadata, extensions, referenceTaskIds };
}

const noCalls: ReadonlySet<string> = new Set();

export class Scope<C extends Hosted = Hosted> implements MemberScope<C> {
  readonly root: RootRun;
  readonly runKey: number;
  readonly component: C;
  readonly input: RunInput;
  readonly options: RunOptions;
  readonly context: RunContext;
  readonly relayedBefore: number;
  readonly meter: Pick<Meter, keyof typeof unlimited>;
  readonly spans: RunSpans;
  readonly past: SessionPast;
  readonly copiedMessages: number;
  /** Set to true before the loop runs again for messages that came with its end. */
  hasBegun: boolean;
  partialOutput?: () => RunOutput;
  shownAnswer?: RunOutput | undefined;
  readonly interrupted: ReadonlySet<string>;
  readonly answered: Answered | undefined;
  readonly earlierEnd: MemberScope["earlierEnd"];
  readonly #form: EventForm;
  readonly #step: RunIdentity["step"];
  readonly #depth: number;
  readonly #wasPaused: boolean;
  readonly #marks: Map<string, unknown>;
  #requests: readonly RecordedRequest[];
  readonly #messages: PlacedMessage[];
  readonly #relayed: RelayedLog;
  #text = "";

  constructor(root: RootRun, identity: RunIdentity<C>) {
    const { component, runId, options } = identity;
    this.root = root;
    this.runKey = identity.key;
    this.component = component;
    this.input = identity.input;
    this.options = options;
    this.#relayed = root.recovery?.relayed.get(runId) ?? new RelayedLog();
    this.relayedBefore = identity.relayedBefore ?? this.#relayed.last;
    this.#messages = [...identity.messages];
    this.#marks = new Map(identity.marks);
    this.#requests = recordedRequests(identity.marks);
    this.#step = identity.step;
    this.#depth = identity.depth ?? 0;
    this.#wasPaused = identity.wasPaused ?? false;
    this.copiedMessages = copiedMessagesOf(options);
    this.hasBegun = identity.hasBegun ?? identity.messages.length > 0;
    const isOther = component.kind !== "workflow" && isShaped(component);
    for (const { message } of identity.messages.slice(this.copiedMessages))
      if (message.role === "assistant" && (!isOther || message.purpose || message.isToolAnswer))
        this.#text += message.content;
    this.interrupted = root.recovery?.checkpoints.get(runId)?.startedCalls ?? noCalls;
    this.answered = answeredBefore(root.recovery, { key: identity.key, kind: component.kind });
    this.earlierEnd = identity.earlierEnd;
    this.spans = new RunSpans(root.traced, identity.callPlace ?? 0);
    this.past = sessionPast(root, component, options);
    const { levels, messages, earlierEnd, key: runKey } = identity;
    const { runtime } = root.parts;
    this.meter = levels.length > 0 ? new Meter(root.metering, levels, { runKey, component, runtime }) : unlimited;
    if (messages.length > 0 && !earlierEnd) {
      const own = messages.slice(this.copiedMessages);
      const requests = own.flatMap(({ message }) => this.#usageOf(message) ?? []);
      const others = this.#requests.flatMap(({ metrics, model }) => toModelUsage(metrics, model) ?? []);
      root.setRequests(runKey, [...requests, ...others]);
    }
    this.context = {
      runId,
      rootRunId: root.runId,
      componentId: component.id,
      session: { id: root.session.id, state: root.session.state.value },
      principal: root.principal,
      userId: root.userId,
      dependencies: { ...component.dependencies, ...options.dependencies },
      metadata: options.metadata ?? {},
      a2a: options.a2a && toA2aMessage(options.a2a),
      addArtifact: (artifact) => this.#addArtifact(artifact),
    };
    this.#form = new EventForm(root.parts.runtime.clock, {
      component,
      runId,
      parentRunId: identity.parentRunId,
      sessionId: root.session.id,
      step: identity.step,
      depth: this.#depth,
    });
  }

  get bearer(): string | undefined {
    return this.root.bearer;
  }

  get cancelledRemotes(): Set<string> {
    return this.root.cancelledRemotes;
  }

  get signal(): AbortSignal {
    return this.root.signal;
  }

  get runtime(): Runtime {
    return this.root.parts.runtime;
  }

  get prices(): PriceBook {
    return this.root.parts.prices;
  }

  get responses(): ResponseStore | undefined {
    return this.root.parts.responses;
  }

  get connections(): Connections | undefined {
    return this.root.parts.connections;
  }

  get memories(): MemberScope["memories"] {
    const { parts, signal } = this.root;
    const { store } = parts.memories;
    return {
      latest: (...call) => retryWhileUnavailable(parts, signal, () => store.latest(...call)),
      change: (...call) => retryWhileUnavailable(parts, signal, () => store.change(...call)),
    };
  }

  get learnings(): MemberScope["learnings"] {
    const { parts, signal } = this.root;
    const { learnings } = parts;
    return {
      forRun: (wanted) => retryWhileUnavailable(parts, signal, () => learnings.forRun(wanted)),
      put: (...call) => retryWhileUnavailable(parts, signal, () => learnings.put(...call)),
    };
  }

  get searchKnowledge(): KnowledgeSearch {
    const { parts } = this.root;
    return (query, signal, onUsage) =>
      retryWhileUnavailable(parts, signal, () => parts.searchKnowledge(query, signal, onUsage));
  }

  get toolServers(): ToolServers {
    return this.root.parts.toolServers;
  }

  get inbox(): Inbox | undefined {
    return this.context.runId === this.root.runId ? this.root.inbox : undefined;
  }

  get settings(): Settings {
    return this.root.parts.settings;
  }

  get isContinued(): boolean {
    return this.root.recovery?.wasPaused ?? false;
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

  relay(fields: RelayedFields, index: number | undefined): void {
    const { event, run_id, content } = fields;
    const isOwnText = /^(Team)?RunContent$/.test(event) && run_id === this.context.runId;
    if (isOwnText && typeof content === "string") this.#text += content;
    const { runId } = this.context;
    if (runId === this.root.runId) {
      // The log is a copy of the other server's: the indexes are equal.
      this.root.append(this.#form.relayed(fields, undefined));
      return;
    }
    const { discard_from_index: there } = fields;
    const place = typeof there === "number" ? { discard_from_index: this.#relayed.discardFrom(there) } : {};
    if (index !== undefined) this.#relayed.take(index, this.root.writer.nextIndex, endsStep(event));
    this.root.append(this.#form.relayed(fields, { ...place, ...relayField({ runId, index }) }));
  }

  async emittedText(): Promise<string> {
    return await emittedText(this.root, this.context.runId);
  }

  emitRecovery(): void {
    const { recovery } = this.root;
    if (this.#wasPaused) {
      // The steps themselves emit the event that they continue.
      if (this.component.kind !== "workflow") this.emit("RunContinued");
      return;
    }
    const checkpoint = recovery?.checkpoints.get(this.context.runId);
    if (!checkpoint) return;
    this.emit("RunRecovered", { attempt: recovery?.attempt, discard_from_index: checkpoint.discardFrom });
  }

  /** Returns the event for the flush that ends the run. */
  event(name: string, fields: Readonly<Record<string, unknown>>): ReturnType<EventForm["make"]> {
    return this.#form.make(name, fields);
  }

  room(): Promise<void> | undefined {
    return this.root.memory.room() ?? this.root.parts.journal.room(this.root.writer);
  }

  waitForRoom(): Promise<void> {
    return this.root.waitForRoom();
  }

  count(characters: number): void {
    this.root.count(characters);
  }

  appendMessage(message: Message): PlacedMessage {
    this.root.check();
    const { clock, randomness } = this.runtime;
    const placed = { id: randomness.uuid(), position: this.#messages.length, createdAt: clock.now(), message };
    this.#messages.push(placed);
    const { id, position, createdAt } = placed;
    const body = JSON.stringify(message);
    // Models' answers are counted as they arrive; questions do not count as the run's output.
    if (message.role === "tool") this.root.count(body.length);
    else this.root.memory.add(2 * body.length);
    const usage = this.#usageOf(message);
    if (usage) this.root.addRequest(this.runKey, usage);
    this.root.addMessage({ runKey: this.runKey, position, id, createdAt, body }, this.meter.count(message));
    return placed;
  }

  /** The usage that a model's turn reports; undefined for every other message. */
  #usageOf(message: Message): ModelUsage | undefined {
    const { metrics } = message as Partial<AssistantMessage>;
    const { component } = this;
    if (message.role !== "assistant" || !metrics) return undefined;
    const isModelKnown = component.kind !== "workflow" && component.model !== undefined;
    const known = message.model ?? (isModelKnown ? namesInMetrics(modelOf(component)) : { id: "", provider: "" });
    return toModelUsage(metrics, known);
  }

  commit(): Promise<void> {
    return this.root.commit();
  }

  mark(name: string): unknown {
    return this.#marks.get(name);
  }

  setMark(name: string, value: unknown): void {
    this.root.check();
    this.root.addMark(this.#toMark(name, value));
  }

  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  recordRequest(name: string, request: RecordedRequest): void {
    this.root.check();
    this.#requests = [...this.#requests, request];
    const usage = toModelUsage(request.metrics, request.model);
    if (usage) this.root.addRequest(this.runKey, usage);
    this.root.addMark(this.#toMark(requestName(name), request), this.meter.countRequest(request));
  }

  #toMark(name: string, value: unknown): Mark {
    this.#marks.set(name, value);
    const body = JSON.stringify(value);
    this.root.memory.add(2 * body.length);
    return { runKey: this.runKey, name, createdAt: this.runtime.clock.now(), body };
  }

  async member(component: Component, input: RunInput, toolCallId: string): Promise<MemberScope> {
    return await this.#member(component, input, toolCallId, this.#underCall(toolCallId));
  }

  earlierMember(component: Component, toolCallId: string): MemberScope | undefined {
    return this.#earlier(component, toolCallId, this.#underCall(toolCallId));
  }

  async executor<E extends Hosted>(
    component: E,
    input: RunInput,
    place: StepPlace,
    attempt: string,
  ): Promise<MemberScope<E>> {
    return await this.#member(component, input, attempt, this.#inStep(place));
  }

  earlierExecutor<E extends Hosted>(component: E, place: StepPlace, attempt: string): MemberScope<E> | undefined {
    return this.#earlier(component, attempt, this.#inStep(place));
  }

  executorRuns(): readonly Readonly<Record<string, unknown>>[] {
    return this.root.endedChildren(this.runKey).map(({ member, status, output }) =>
      toResponse({
        ...member,
        ...{ id: member.componentId, name: member.componentName, startedAt: member.createdAt },
        parentRunId: this.context.runId,
        stepId: stepIdOf(this.component.id, member.toolCallId),
        ...{ sessionId: this.root.session.id, userId: this.root.userId, status, output },
        message: (JSON.parse(member.input) as RunInput).message,
      }),
    );
  }

  async #member<E extends Hosted>(component: E, given: RunInput, toolCallId: string, above: Above): Promise<Scope<E>> {
    const input = redactInput(component, given);
    const { store, runtime } = this.root.parts;
    const key = await retryWhileUnavailable(this.root.parts, this.signal, () => store.nextRunKey());
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
      ...modelNames(component),
      createdAt: runtime.clock.now(),
      toolCallId,
    });
    return this.#memberScope({ key, runId, component, input, messages: [], marks: new Map(), ...above });
  }

  #earlier<E extends Hosted>(component: E, toolCallId: string, above: Above): Scope<E> | undefined {
    const found = this.root.recovery?.members.find(
      ({ row }) =>
        row.parentKey === this.runKey &&
        row.toolCallId === toolCallId &&
        row.kind === component.kind &&
        row.componentId === component.id,
    );
    if (!found) return undefined;
    const { messages, marks } = found;
    const { key, runId, input, status, output } = found.row;
    const end = isTerminal(status) && output !== null ? { status, output: JSON.parse(output) as RunOutput } : undefined;
    const parsedInput = JSON.parse(input) as RunInput;
    const wasPaused = status === "PAUSED";
    return this.#memberScope({
      key,
      runId,
      component,
      input: parsedInput,
      messages,
      marks,
      earlierEnd: end,
      wasPaused,
      ...above,
    });
  }

  #underCall(toolCallId: string): Above {
    const callPlace = this.spans.placeOf(toolSpan(toolCallId));
    return { parentRunId: this.context.runId, step: this.#step, callPlace };
  }

  /** The step's fields in the events of its executor and of members under it. */
  #inStep({ stepId, name, index }: StepPlace): Above {
    const step = {
      workflow_id: this.component.id,
      workflow_run_id: this.context.runId,
      step_id: stepId,
      step_name: name,
      step_index: index,
    };
    return { parentRunId: undefined, step, callPlace: this.spans.placeOf(stepSpan(stepId)) };
  }

  #memberScope<E extends Hosted>(identity: Omit<RunIdentity<E>, Inherited>): Scope<E> {
    const {
      outputSchema: _,
      origin: __,
      givenMessages: ___,
      additionalInstructions: ____,
      factoryInput: _____,
      ...options
    } = this.options;
    // A workflow's own events contain its id, and the depth counts workflows only.
    const isWorkflow = identity.component.kind === "workflow";
    const place = isWorkflow ? { step: undefined, depth: this.#depth + 1 } : { depth: this.#depth };
    const own = memberLevels(identity, this.root.recovery, this.runtime.clock);
    const levels = own.length > 0 ? [...this.meter.levels, ...own] : this.meter.levels;
    return new Scope(this.root, { ...identity, ...place, options, levels });
  }

  pause(output: RunOutput): void {
    this.root.addMemberPause(this.runKey, this.withAnswered(output));
  }

  end(status: TerminalStatus, output: RunOutput): void {
    this.root.addMemberEnd(this.runKey, status, this.withAnswered(output));
  }

  /** The run that creates the artifact emits the event; the artifact is stored with the root run, because it belongs to the root's task. */
  #addArtifact(given: ArtifactOptions): void {
    this.root.check();
    const artifact = toStoredArtifact(given);
    const body = JSON.stringify(artifact);
    const { maxUploadBytes } = this.settings;
    if (body.length > maxUploadBytes)
      throw new RangeError(`The artifact "${artifact.name}" is larger than ${maxUploadBytes} bytes.`);
    const { key, nextIndex } = this.root.writer;
    this.root.addMark({ runKey: key, name: artifactName(nextIndex), createdAt: this.runtime.clock.now(), body });
    this.emit("CustomEvent", { artifact });
  }

  /** Returns the run's output as its row stores it. */
  withAnswered(output: RunOutput): RunOutput {
    if (!this.answered) return output;
    const { runId } = this.context;
    const callsOf = (id = runId) => (id === runId ? output.tools : this.root.callsOf(id)) ?? [];
    return { ...output, answered: withCalls(this.answered, callsOf) };
  }
}
