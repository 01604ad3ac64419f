/** A run scope in memory, without a log or a database. It records everything that loops write, in order. */
import type { RunContext } from "../../src/define/context.ts";
import type { Component } from "../../src/define/platform.ts";
import { completedFields } from "../../src/engine/loops/completed.ts";
import { type MemberScope, type RelayedFields, RunStopped, type StopReason } from "../../src/engine/loops/contract.ts";
import { loopOf } from "../../src/engine/loops/loop-of.ts";
import { RunSpans } from "../../src/engine/run/run-spans.ts";
import { open } from "../../src/model/principal.ts";
import type { Message, PlacedMessage } from "../../src/model/run/message.ts";
import type { RunInput, RunOptions, RunOutput } from "../../src/model/run/record.ts";
import type { RecordedRequest } from "../../src/model/run/recorded-request.ts";
import type { TerminalStatus } from "../../src/model/run/run.ts";
import { requestName } from "../../src/model/run/run-marks.ts";
import { defaultSettings, type Settings } from "../../src/model/settings.ts";
import { type FakeClock, fakeRuntime } from "./fake-clock.ts";

/** An emitted event. */
export interface FakeEvent {
  readonly name: string;
  readonly runId: string;
  readonly parentRunId: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped data
  readonly fields: Readonly<Record<string, any>>;
}

/** State that all scopes of one root run share. */
class Root {
  readonly controller = new AbortController();
  readonly runtime: ReturnType<typeof fakeRuntime>;
  readonly settings: Settings;
  readonly events: FakeEvent[] = [];
  /** All writes, in order: `event <name>`, `say <role>`, `commit`, `end <status>`. */
  readonly trace: string[] = [];
  readonly state: Record<string, unknown> = {};
  readonly history: readonly Message[];
  runs = 0;

  constructor(settings: Partial<Settings>, history: readonly Message[]) {
    this.runtime = fakeRuntime();
    this.settings = { ...defaultSettings, ...settings };
    this.history = history;
  }
}

export class FakeScope implements MemberScope {
  readonly memories: MemberScope["memories"] = { latest: async () => [], change: async () => undefined };
  readonly searchKnowledge: MemberScope["searchKnowledge"] = async () => [];
  readonly root: Root;
  readonly runKey: number;
  readonly component: Component;
  readonly input: RunInput;
  readonly options: RunOptions;
  readonly context: RunContext;
  readonly members: FakeScope[] = [];
  readonly toolCallId: string | undefined;
  ended: { readonly status: TerminalStatus; readonly output: RunOutput } | undefined;
  partialOutput?: (() => RunOutput) | undefined;
  readonly #parent: FakeScope | undefined;
  readonly #messages: PlacedMessage[] = [];

  constructor(
    root: Root,
    component: Component,
    input: RunInput,
    options: RunOptions,
    under?: { readonly parent: FakeScope; readonly toolCallId: string },
  ) {
    this.root = root;
    this.runKey = ++root.runs;
    this.component = component;
    this.input = input;
    this.options = options;
    this.#parent = under?.parent;
    this.toolCallId = under?.toolCallId;
    this.context = {
      runId: `run-${this.runKey}`,
      rootRunId: "run-1",
      componentId: component.id,
      session: { id: "session", state: root.state },
      principal: open,
      userId: null,
      dependencies: { ...component.dependencies, ...options.dependencies },
      metadata: {},
      addArtifact: (artifact) => this.emit("CustomEvent", { artifact }),
    };
  }

  /** Tool calls that an earlier attempt started. */
  readonly interrupted: Set<string> = new Set();

  readonly answered = undefined;

  readonly copiedMessages = 0;

  get hasBegun(): boolean {
    return this.#messages.length > 0;
  }

  get signal(): AbortSignal {
    return this.root.controller.signal;
  }

  get runtime(): Root["runtime"] {
    return this.root.runtime;
  }

  get clock(): FakeClock {
    return this.root.runtime.clock;
  }

  get settings(): Settings {
    return this.root.settings;
  }

  get messages(): readonly PlacedMessage[] {
    return this.#messages;
  }

  get events(): readonly FakeEvent[] {
    return this.root.events;
  }

  get names(): readonly string[] {
    return this.root.events.map(({ name }) => name);
  }

  readonly spans: RunSpans = new RunSpans({ tracing: undefined, origin: { runId: "" }, nextIndex: () => 0 }, 0);

  get trace(): readonly string[] {
    return this.root.trace;
  }

  emit(name: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.signal.throwIfAborted();
    const full = this.component.kind === "team" ? `Team${name}` : name;
    const { runId } = this.context;
    this.root.trace.push(`event ${full}`);
    this.root.events.push({
      name: full,
      runId,
      parentRunId: this.#parent?.context.runId,
      fields: JSON.parse(JSON.stringify(fields)) as FakeEvent["fields"],
    });
  }

  readonly bearer = undefined;
  readonly connections = undefined;
  readonly learnings = { forRun: async () => [], put: async () => true };
  readonly toolServers: MemberScope["toolServers"] = {
    list: async () => [],
    callable: () => {
      throw new Error("A fake scope has no MCP servers.");
    },
  };
  readonly meter = { begin: (): undefined => undefined, mayBegin: (): true => true, end: (): void => undefined };
  readonly prices = { find: (): undefined => undefined, contextWindow: (): undefined => undefined };
  readonly past: MemberScope["past"] = {
    seq: 0,
    beforeSeq: 0,
    history: async () => [{ seq: 0, messages: this.root.history }],
    summary: async () => undefined,
    putSummary: () => undefined,
    putResult: (name, text) => void this.marks.set(name, text),
    result: async (_, name) => this.marks.get(name) as string | undefined,
  };
  responses: MemberScope["responses"];
  readonly cancelledRemotes: Set<string> = new Set();
  readonly relayedBefore = -1;

  relay({ event, ...fields }: RelayedFields): void {
    this.root.trace.push(`relay ${event}`);
    this.root.events.push({ name: event, runId: this.context.runId, parentRunId: undefined, fields });
  }

  async emittedText(): Promise<string> {
    return "";
  }

  room(): undefined {
    return undefined;
  }

  async waitForRoom(): Promise<void> {}

  count(): void {}

  appendMessage(message: Message): PlacedMessage {
    this.signal.throwIfAborted();
    const position = this.#messages.length;
    const placed = { id: `${this.context.runId}-${position}`, position, createdAt: this.clock.now(), message };
    this.#messages.push(placed);
    this.root.trace.push(`say ${message.role}`);
    return placed;
  }

  async commit(): Promise<void> {
    this.signal.throwIfAborted();
    this.root.trace.push("commit");
  }

  earlierMember(): undefined {
    return undefined;
  }

  readonly marks: Map<string, unknown> = new Map();

  mark(name: string): unknown {
    return this.marks.get(name);
  }

  setMark(name: string, value: unknown): void {
    this.marks.set(name, value);
    this.root.trace.push(`settle ${name}`);
  }

  requests: readonly RecordedRequest[] = [];

  recordRequest(name: string, request: RecordedRequest): void {
    this.requests = [...this.requests, request];
    this.setMark(requestName(name), request);
  }

  emitRecovery(): void {
    this.root.trace.push("recovered");
  }

  async member(component: Component, input: RunInput, toolCallId: string): Promise<FakeScope> {
    const member = new FakeScope(this.root, component, input, {}, { parent: this, toolCallId });
    this.members.push(member);
    return member;
  }

  readonly isContinued = false;

  pause(output: RunOutput): void {
    this.root.trace.push("pause");
    this.ended = { status: "PAUSED", output } as never;
  }

  end(status: TerminalStatus, output: RunOutput): void {
    this.root.trace.push(`end ${status}`);
    this.ended = { status, output };
  }

  stop(reason: StopReason): void {
    this.root.controller.abort(new RunStopped(reason));
  }

  /** Executes the component's loop up to the answer, and emits the terminal event as the executor does. */
  async run(): Promise<RunOutput> {
    const output = await loopOf(this.component)(this);
    this.emit("RunCompleted", completedFields(output));
    return output;
  }
}

/** A root run of the component. */
export function fakeScope(
  component: Component,
  given: {
    readonly message?: string;
    readonly input?: RunInput;
    readonly options?: RunOptions;
    readonly settings?: Partial<Settings>;
    readonly history?: readonly Message[];
    /** Messages that an earlier attempt of the run stored. */
    readonly said?: readonly Message[];
  } = {},
): FakeScope {
  const root = new Root(given.settings ?? {}, given.history ?? []);
  const scope = new FakeScope(
    root,
    component,
    given.input ?? { message: given.message ?? "hello" },
    given.options ?? {},
  );
  for (const message of given.said ?? []) scope.appendMessage(message);
  root.trace.length = 0;
  return scope;
}
