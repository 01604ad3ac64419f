/** The connection from a simulated process to the database, with its faults. */
import type { Transaction } from "./memory/database.ts";
import type { Wire } from "./memory/store.ts";
import type { CallFault } from "./plan.ts";
import type { SimulatedProcess } from "./process.ts";
import type { World } from "./world.ts";

/** The error of the Postgres client library for a lost connection. */
class ConnectionReset extends Error {
  readonly code = "ECONNRESET";
}

/** The databases' error for a rolled-back transaction. */
class Refused extends Error {
  readonly code: string;

  constructor(dialect: "sqlite" | "postgres") {
    super("the transaction was rolled back");
    this.code = dialect === "sqlite" ? "SQLITE_BUSY" : "40001";
  }
}

type Answer<T> = { readonly value: T } | { readonly error: unknown };

export class FaultyWire implements Wire {
  readonly #world: World;
  readonly #process: SimulatedProcess;

  constructor(world: World, process: SimulatedProcess) {
    this.#world = world;
    this.#process = process;
  }

  call<T>(name: string, work: () => T): Promise<T> {
    return this.#send(name, () => ({ keys: [], commit: work }), false);
  }

  transact<T>(name: string, prepare: () => Transaction<T>): Promise<T> {
    return this.#send(name, prepare, true);
  }

  #send<T>(name: string, prepare: () => Transaction<T>, mayBeLate: boolean): Promise<T> {
    const { faults } = this.#world;
    const process = this.#process;
    const actions = faults.next(process.slot, name);
    let fault: CallFault | undefined;
    let lasts = 0;
    for (const action of actions) {
      if (action.kind !== "call") continue;
      fault = action.fault === "late" && !mayBeLate ? "unanswered" : action.fault;
      lasts = action.lasts;
    }
    const strike = (phase: "sent" | "done" | "answered"): void => {
      for (const action of actions) {
        if (action.kind !== "call" && action.when.phase === phase) this.#world.act(action);
      }
    };
    if (fault) process.tell(`${name} will be ${fault} (${lasts.toFixed(0)} ms)`);
    strike("sent");
    if (process.isDead) return new Promise(() => undefined);
    return new Promise((resolve, reject) => {
      const answer = (result: Answer<T>): void => {
        const back = this.#way() + (fault === "slow-answer" ? lasts : 0);
        this.#world.scheduler.after(back, process.owner, () => {
          // The connection is cut before the response arrives, so the outcome is unknown.
          if (faults.isAway(process.slot)) {
            this.#world.counts.unknown++;
            reject(new ConnectionReset("the connection is lost"));
          } else if ("value" in result) resolve(result.value);
          else reject(result.error);
          if (actions.length > 0) this.#world.scheduler.after(0, undefined, () => strike("answered"));
        });
      };
      const there = this.#way() + (fault === "slow" ? lasts : 0);
      this.#world.scheduler.after(there, undefined, () => {
        answer(this.#arrive(name, prepare, fault, lasts));
        strike("done");
      });
    });
  }

  /** Executes a call when it reaches the database. */
  #arrive<T>(name: string, prepare: () => Transaction<T>, fault: CallFault | undefined, lasts: number): Answer<T> {
    const { faults, database, random } = this.#world;
    const process = this.#process;
    if (faults.isAway(process.slot)) return { error: new ConnectionReset("the database does not answer") };
    // A call that a process sent just before its death arrives or not.
    if (process.isDead && random.chance(0.5)) return { error: undefined };
    if (fault === "again") return { error: new Refused(database.dialect) };
    if (fault === "data") this.#world.spoil(process);
    if (fault === "lost") return { error: new ConnectionReset("the connection is lost") };
    try {
      const transaction = prepare();
      if (fault === "late") {
        this.#world.counts.unknown++;
        this.#hold(name, transaction, lasts);
        return { error: new ConnectionReset("the connection is lost") };
      }
      const value = transaction.commit();
      process.traceCall(name, value);
      if (fault !== "unanswered") return { value };
      this.#world.counts.unknown++;
      return { error: new ConnectionReset("the connection is lost") };
    } catch (error) {
      return { error };
    }
  }

  /** The commit happens after the caller has stopped waiting. */
  #hold<T>(name: string, { keys, commit }: Transaction<T>, lasts: number): void {
    const { database, scheduler } = this.#world;
    const held = {
      keys,
      commit: () => {
        try {
          this.#process.traceCall(`late ${name}`, commit());
        } catch (error) {
          this.#process.tell(`late ${name} failed: ${error}`);
        }
      },
    };
    database.hold(held);
    scheduler.after(lasts, undefined, () => database.finish(held));
  }

  #way(): number {
    const { database, plan, random } = this.#world;
    if (database.dialect === "sqlite") return 0;
    return random.skewed(0.1, plan.latency);
  }
}
