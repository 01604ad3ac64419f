/**
 * Runs whose start waits for its answer, as their rows and messages are stored. The process that created, executed and ended a run knows all of them,
 * so it need not read them back. Runs with members, recovered runs and runs that pause are read from the store.
 */
import type { TerminalStatus } from "../../model/run/run.ts";
import type { MessageRow, RunCreation, RunRow } from "../../store/contract/store.ts";

/** A run that has ended, as `findRun` and `messages` of the store return it. */
export interface AnsweredRun {
  readonly run: RunRow;
  readonly messages: readonly MessageRow[];
}

/** A run that has been created, with the fields that its creation does not contain. */
export type CreatedRun = RunCreation & Pick<RunRow, "key" | "sessionKey" | "sessionSeq">;

/** Max characters of ended runs that no request has taken. */
const maxCharacters = 4 * 1024 * 1024;

interface Ended extends AnsweredRun {
  readonly size: number;
}

export class AnsweredRuns {
  /** Runs whose answers are awaited, by key, until they end. */
  readonly #expected = new Map<number, CreatedRun>();
  /** Oldest first. */
  readonly #ended = new Map<number, Ended>();
  #characters = 0;

  /** Expects the end of a run that this process has just created and will execute. */
  expect(created: CreatedRun): void {
    this.#expected.set(created.key, created);
  }

  isExpected(key: number): boolean {
    return this.#expected.has(key);
  }

  /** Keeps the end that is about to be committed. A reader asks for it only after it has seen in the log that it is durable. */
  end(key: number, status: TerminalStatus, output: string, messages: readonly MessageRow[]): void {
    const created = this.#expected.get(key);
    if (created === undefined) return;
    this.#remove(key);
    const run = toRow(created, status, output);
    const size = messages.reduce((sum, { body }) => sum + body.length, run.input.length + output.length);
    this.#ended.set(key, { run, messages, size });
    this.#characters += size;
    for (const oldest of this.#ended.keys()) {
      if (this.#characters <= maxCharacters) break;
      this.#remove(oldest);
    }
  }

  /** Returns the run if it has ended with this status, and drops it. */
  take(key: number, status: RunRow["status"]): AnsweredRun | undefined {
    const ended = this.#ended.get(key);
    this.#remove(key);
    return ended?.run.status === status ? ended : undefined;
  }

  /** The execution is over: no further end arrives. */
  over(key: number): void {
    this.#expected.delete(key);
  }

  /** The end was not committed, or the run has data that this process does not hold. */
  forget(key: number): void {
    this.#remove(key);
  }

  #remove(key: number): void {
    this.#characters -= this.#ended.get(key)?.size ?? 0;
    this.#ended.delete(key);
  }
}

function toRow(created: CreatedRun, status: TerminalStatus, output: string): RunRow {
  const { key, runId, kind, componentId, componentName, sessionKey, sessionId, owner, sessionSeq, userId } = created;
  const { input, options, model, modelProvider, createdAt } = created;
  return {
    ...{ key, runId, rootKey: key, parentKey: null, parentRunId: null, kind, componentId, componentName },
    ...{ sessionKey, sessionId, owner, sessionSeq, userId, input, options, output, model, modelProvider },
    ...{ createdAt, status, replacedBy: null, toolCallId: null },
  };
}
