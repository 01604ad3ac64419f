/** Checks the guarantees after every committed transaction. The first violation is the history's violation. */
import type { Message } from "../../src/model/run/message.ts";
import { isTerminal } from "../../src/model/run/run.ts";
import type { CountedUsage, RunWrite } from "../../src/store/contract/store.ts";
import { metered } from "./components.ts";
import type { ClaimedHead, Flushed, MemoryDatabase, Watcher } from "./memory/database.ts";
import type { Script } from "./plan.ts";
import { frameHead, type RootView, splitFrames, statusOfEnd } from "./views.ts";

/** A violation of a guarantee. */
export interface Violation {
  /** The guarantee: `L1` to `L8`, or a name for a check without a number. */
  readonly check: string;
  readonly message: string;
}

/** What the checks need of a plan. */
export interface Rules {
  /** Maximum takeovers of a run without progress. */
  readonly takeovers: number;
  /** Whether the code of the definitions changes. */
  readonly deploys: boolean;
}

const whyErrors: Readonly<Record<string, (root: RootView, rules: Rules) => boolean>> = {
  too_many_takeovers: (root, { takeovers }) => root.stalledAtClaim >= takeovers,
  storage_error: (root) => root.spoiled,
  output_mismatch: (root) => root.component === "former",
  definition_changed: (root, { deploys }) => deploys && root.attempt > 1,
  run_timeout: (root) => root.component === "hasty",
  tool_interrupted: (root) => root.attempt > 1,
  limit_exceeded: (root) => root.component === metered.id,
  model_provider_error: (root) => root.input.includes('\\"fails\\":'),
};

export class Guarantees implements Watcher {
  readonly roots: Map<number, RootView> = new Map();
  readonly byRunId: Map<string, RootView> = new Map();
  /** Sessions with requested deletions, which include runs that start meanwhile. */
  readonly unwanted: Set<number> = new Set();
  /** Starts that were answered with an error. If such a run was stored nevertheless, it must be cancelled. */
  readonly withdrawn: Set<string> = new Set();
  /** Unfinished root runs. */
  unfinished = 0;
  violation: Violation | undefined;
  readonly #rules: Rules;
  readonly #database: MemoryDatabase;
  /** Stored answers of the metered component. */
  #answers = 0;
  /** For each process, the counts that it has read and made no request with yet. */
  readonly #reads = new Map<object, number[]>();
  /** Runs by the request that started them. */
  readonly #byRequest = new Map<string, RootView>();
  /** Runs by idempotency key. */
  readonly #byStart = new Map<string, RootView>();

  constructor(database: MemoryDatabase, rules: Rules) {
    this.#rules = rules;
    this.#database = database;
    database.watcher = this;
  }

  fail(check: string, message: string): void {
    this.violation ??= { check, message };
  }

  flushed({ writes, outcomes, changes, inserted }: Flushed): void {
    for (const run of changes.runs) {
      if (run.parent_key === null) this.#created(run);
    }
    for (const segment of inserted) this.#extended(segment.key, segment.attempt, segment);
    this.#checkCount(changes.messages);
    for (const [place, write] of writes.entries()) {
      if (write.kind !== "run" || outcomes[place]?.kind !== "committed") continue;
      const root = this.roots.get(write.key);
      if (!root) continue;
      const [message] = write.messages ?? [];
      if (message && changes.messages.includes(message)) root.stalled = 0;
      const hasSegment = inserted.some(({ frames }) => frames === write.segment?.frames);
      const moves = write.transition && changes.heads.some(({ key }) => key === write.key);
      if (hasSegment || moves || (message && changes.messages.includes(message))) this.#applied(root, write);
    }
  }

  usageRead(reader: object, totals: readonly CountedUsage[]): void {
    const reads = this.#reads.get(reader) ?? [];
    this.#reads.set(reader, reads);
    reads.push(sumOf(totals));
  }

  /**
   * The metered component makes a model request. The count must have been read for it, and below the limit: only requests in flight exceed the limit.
   * @param before requests of the run before this one
   */
  requested(reader: object, before: number): void {
    if (before >= metered.perRun) this.fail("limit", `A run makes ${before + 1} requests of ${metered.perRun}.`);
    const reads = this.#reads.get(reader) ?? [];
    const lowest = reads.indexOf(Math.min(...reads));
    const [count] = lowest < 0 ? [] : reads.splice(lowest, 1);
    if (this.meteredCount < metered.perDay || (count ?? metered.perDay) < metered.perDay) return;
    this.fail("limit", `A request is made although ${this.meteredCount} of ${metered.perDay} have been answered.`);
  }

  /** A root run makes a model request with the instructions of a version; undefined for those of the code. */
  instructed(start: string, version: number | undefined): void {
    const root = this.#byRequest.get(start);
    if (root && root.version !== version)
      this.#fail(
        "version",
        root,
        `began with version ${root.version ?? "(code)"}, and continues with ${version ?? "(code)"}`,
      );
  }

  /** The stored count of the metered component's requests. */
  get meteredCount(): number {
    return sumOf([...this.#database.usage.values()].filter(({ key }) => key === metered.id));
  }

  claimed(runs: readonly ClaimedHead[]): void {
    // A run without a turn in a queue, claimed together with others, starts after them.
    const isFree = ({ before }: ClaimedHead): boolean => before.policy === "parallel" || before.cancelRequested;
    const inOrder = [...runs].sort((one, other) => Number(isFree(one)) - Number(isFree(other)));
    for (const { before, after, hadLease } of inOrder) {
      const root = this.roots.get(after.key);
      if (!root) continue;
      if (after.attempt !== root.attempt + 1)
        this.#fail("attempts", root, `changed its attempt from ${root.attempt} to ${after.attempt}`);
      if (isTerminal(root.status)) this.#fail("L5", root, `was claimed although it is ${root.status}`);
      if (before.status === "RUNNING") {
        if (hadLease) this.#fail("L7", root, `was claimed from ${before.owner}, whose lease is valid`);
        root.stalled += 1;
      }
      const begins = root.status !== "RUNNING";
      Object.assign(root, {
        attempt: after.attempt,
        owner: after.owner,
        status: "RUNNING",
        stalledAtClaim: root.stalled,
      });
      if (begins) this.#checkTurn(root);
    }
  }

  released(key: number): void {
    const root = this.roots.get(key);
    if (root) Object.assign(root, { status: "PENDING", owner: null });
  }

  cancelRequested(key: number): void {
    const root = this.roots.get(key);
    if (root) root.cancelCommitted = true;
  }

  deleted(keys: readonly number[]): void {
    for (const key of keys) {
      const root = this.roots.get(key);
      if (!root || root.deleted) continue;
      root.deleted = true;
      if (!isTerminal(root.status)) {
        this.unfinished--;
        this.#fail("L2", root, `was deleted while it was ${root.status}`);
      }
      if (!root.deleteWished && !this.unwanted.has(root.sessionKey))
        this.#fail("L2", root, "was deleted without a client's request");
    }
  }

  expired(key: number, firstKept: number): void {
    const root = this.roots.get(key);
    if (root) root.firstKept = firstKept;
  }

  /** Counts the stored answers of the metered component, and compares them with the counter. */
  #checkCount(messages: Flushed["changes"]["messages"]): void {
    for (const message of messages) {
      const { runKey, position, id, body } = message;
      if (this.#database.runs.get(runKey)?.component_id !== metered.id) continue;
      // A message that was stored before keeps its row, and this flush changes nothing.
      const isNew = this.#database.messages.get(runKey)?.some((row) => row.position === position && row.id === id);
      const { role } = JSON.parse(body) as Message;
      if (isNew && role === "assistant") this.#answers++;
    }
    if (this.meteredCount !== this.#answers)
      this.fail("usage", `${this.meteredCount} requests are counted, and ${this.#answers} answers are stored.`);
  }

  #created(run: Flushed["changes"]["runs"][number]): void {
    if (this.byRunId.has(run.run_id)) return;
    const { metadata, versions } = JSON.parse(run.options) as {
      metadata: { key?: string; sent?: string };
      versions?: Record<string, number>;
    };
    const { key, sent } = metadata;
    const root: RootView = {
      ...{ key: run.key, runId: run.run_id, sessionKey: run.session_key, seq: run.session_seq ?? 0 },
      ...{
        component: run.component_id,
        policy: run.policy,
        input: run.input,
        version: versions?.[`${run.kind}/${run.component_id}`],
        sent,
        said: charactersOf(run.input),
        status: "PENDING",
        attempt: run.attempt,
        owner: run.owner,
      },
      ...{
        frames: [],
        firstKept: 0,
        accepted: new Map(),
        cancelCommitted: false,
        cancelWished: false,
        deleteWished: false,
        spoiled: false,
        deleted: false,
      },
      ...{ stalled: 0, stalledAtClaim: 0, announced: new Set<string>(), terminalEvents: 0 },
    };
    this.#checkKey(key, root);
    this.roots.set(run.key, root);
    this.byRunId.set(run.run_id, root);
    const start = sent ?? key;
    if (start !== undefined) this.#byRequest.set(start, root);
    this.unfinished++;
    if (run.attempt === 0) return;
    root.status = "RUNNING";
    this.#checkTurn(root);
  }

  /** A start with an idempotency key creates at most one run. */
  #checkKey(key: string | undefined, root: RootView): void {
    if (key === undefined) return;
    const other = this.#byStart.get(key);
    if (other && !other.deleted) this.#fail("twice", root, `was created by the same start as run ${other.key}`);
    this.#byStart.set(key, root);
  }

  /** Checks a new segment of a log. */
  #extended(key: number, attempt: number, piece: { firstIndex: number; lastIndex: number; frames: Buffer }): void {
    const root = this.roots.get(key);
    if (!root) {
      this.fail("L1", `Run key ${key} has events, but is no root run.`);
      return;
    }
    if (attempt !== root.attempt)
      this.#fail("L7", root, `attempt ${attempt} wrote while attempt ${root.attempt} is the owner`);
    if (root.status !== "RUNNING")
      this.#fail("L5", root, `is ${root.status}, but events from ${piece.firstIndex} on were appended`);
    const frames = splitFrames(piece.frames.toString());
    if (piece.firstIndex !== root.frames.length)
      this.#fail("L1", root, `has ${root.frames.length} events, but the next segment begins at ${piece.firstIndex}`);
    for (const frame of frames) this.#add(root, frame);
    if (piece.lastIndex !== root.frames.length - 1)
      this.#fail("L1", root, `has ${root.frames.length} events after a segment up to ${piece.lastIndex}`);
  }

  #add(root: RootView, frame: string): void {
    const head = frameHead(frame);
    if (head?.index !== root.frames.length)
      this.#fail("L1", root, `has ${JSON.stringify(frame)} at ${root.frames.length}`);
    root.frames.push(frame);
    if (!head) return;
    if (head.event.endsWith("ToolCallStarted")) {
      const data = JSON.parse(head.data) as { run_id: string; tool: { tool_call_id: string } };
      root.announced.add(`${data.run_id}/${data.tool.tool_call_id}`);
    } else if (statusOfEnd(head.event) && head.data.includes(`"run_id":"${root.runId}"`)) {
      const data = JSON.parse(head.data) as { run_id: string };
      if (data.run_id === root.runId) root.terminalEvents += 1;
    }
  }

  /** Checks a committed write of a run. */
  #applied(root: RootView, write: RunWrite): void {
    if (write.attempt !== root.attempt)
      this.#fail("L7", root, `attempt ${write.attempt} wrote while attempt ${root.attempt} is the owner`);
    const { transition } = write;
    if (root.stalledAtClaim >= this.#rules.takeovers && (!transition || transition.to === "COMPLETED"))
      this.#fail("takeovers", root, `continues after ${root.stalledAtClaim} takeovers without progress`);
    if (!transition) return;
    if (root.status !== "RUNNING") this.#fail("L5", root, `went from ${root.status} to ${transition.to}`);
    const wasOver = isTerminal(root.status);
    root.status = transition.to;
    root.owner = null;
    if (!isTerminal(transition.to) || wasOver) return;
    this.unfinished--;
    this.#ended(root);
  }

  #ended(root: RootView): void {
    const last = frameHead(root.frames.at(-1) ?? "");
    if (root.terminalEvents !== 1)
      this.#fail("L5", root, `is ${root.status} with ${root.terminalEvents} terminal events`);
    if (last === undefined || statusOfEnd(last.event) !== root.status)
      this.#fail("L5", root, `is ${root.status}, but its last event is ${last?.event}`);
    if (root.cancelCommitted && root.status !== "CANCELLED")
      this.#fail("cancel", root, `ended as ${root.status} after its cancel was committed`);
    const isUnwanted = this.unwanted.has(root.sessionKey) || (root.sent !== undefined && this.withdrawn.has(root.sent));
    if (root.status === "CANCELLED" && !root.cancelWished && !isUnwanted)
      this.#fail("L6", root, "was cancelled without a client's request");
    if (root.status !== "ERROR" || !last) return;
    const { error_type: type, content } = JSON.parse(last.data) as { error_type: string; content: string };
    if (!whyErrors[type]?.(root, this.#rules))
      this.#fail("error", root, `failed without a reason: ${type}: ${content}`);
  }

  /** A run with the policy `queue` starts: no other run of its session may be live, or wait before it. */
  #checkTurn(root: RootView): void {
    if (root.policy === "parallel" || root.cancelCommitted) return;
    for (const other of this.roots.values()) {
      if (other.sessionKey !== root.sessionKey || other === root || other.deleted) continue;
      if (other.status === "RUNNING" || (other.status === "PENDING" && other.seq < root.seq))
        this.#fail("queue", root, `starts while run ${other.key} of its session is ${other.status}`);
    }
  }

  #fail(check: string, root: RootView, message: string): void {
    this.fail(check, `Run ${root.key} (${root.runId}) ${message}.`);
  }
}

function sumOf(totals: readonly CountedUsage[]): number {
  return totals.reduce((sum, { modelRequests }) => sum + modelRequests, 0);
}

/** Total characters of the models' output for an input. */
function charactersOf(input: string): number {
  const count = ({ turns, each }: Script): number => {
    let characters = each ? 2 * count(each) : 0;
    for (const { deltas, size, calls = [] } of turns) {
      characters += deltas * size;
      for (const { task } of calls) if (task) characters += count(task);
    }
    return characters;
  };
  return count(JSON.parse((JSON.parse(input) as { message: string }).message) as Script);
}
