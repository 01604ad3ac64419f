/**
 * Wake-up signals between processes, by NOTIFY. Each is sent after the commit that it is about, in a separate statement and on a separate connection:
 * inside the flush, NOTIFY would take a lock on the whole database. If the connection fails, an `all` signal after the reconnect makes up for lost
 * signals.
 */
import type pg from "pg";
import type { Runtime } from "../../model/runtime.ts";
import type { Signal, Signals } from "../contract/signals.ts";
import { describeError } from "../database-errors.ts";
import { backoff } from "../flush/backoff.ts";
import { localSignals } from "../sqlite/signals.ts";
import { signalConfig } from "./client.ts";
import { Hosts } from "./hosts.ts";
import { parseSignals, SignalBatch } from "./signal-batch.ts";

/** Dependencies and options of the signals. */
export interface PostgresSignalOptions {
  /** A connection string that reaches the server itself: LISTEN does not work through a transaction-mode pooler. */
  readonly database: string;
  /** The hosts of that connection string. Default: own ones. */
  readonly hosts?: Hosts;
  /** Id by which this process ignores its own notifications. */
  readonly processId: string;
  readonly runtime: Runtime;
  /** Milliseconds between two checks that notifications still arrive (default 10,000). */
  readonly probeInterval?: number;
  /** Milliseconds after which a check has failed (default 5,000): a notification takes about one millisecond. */
  readonly probeTimeout?: number;
}

const channel = "troupe";
/** Signals within this many milliseconds are sent together. */
const batchInterval = 5;
/** Prefix of a probe, which a process sends to itself. No signal begins with it. */
const probeLetter = "t";

/** Connects, and reconnects after failures. */
export async function postgresSignals(options: PostgresSignalOptions): Promise<Signals> {
  const signals = new PostgresSignals(options);
  await signals.connect();
  return signals;
}

class PostgresSignals implements Signals {
  readonly #options: PostgresSignalOptions;
  readonly #local: Signals;
  readonly #hosts: Hosts;
  readonly #closing = new AbortController();
  #client: pg.Client | undefined;
  #batch = new SignalBatch();
  #isBatching = false;
  #sending: Promise<void> | undefined;
  #wasConnected = false;
  #probes = 0;
  #cancelProbe = (): void => undefined;

  constructor(options: PostgresSignalOptions) {
    this.#options = options;
    this.#local = localSignals(options.runtime.log);
    this.#hosts = options.hosts ?? new Hosts(options.database);
  }

  publish(signal: Signal): void {
    this.#local.publish(signal);
    if (this.#closing.signal.aborted) return;
    this.#batch.add(signal);
    this.#scheduleSend();
  }

  publishHere(signal: Signal): void {
    this.#local.publish(signal);
  }

  listen(listener: (signal: Signal) => void): () => void {
    return this.#local.listen(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelProbe();
    await this.#send();
    const client = this.#client;
    this.#client = undefined;
    await Promise.all([client?.end().catch(() => undefined), this.#local.close()]);
  }

  /** Retries until it is connected or closed. Returns after the first failure, and retries in the background. */
  async connect(tries = 0): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const client = this.#hosts.client(signalConfig(this.#options.database));
    client.on("error", (error) => this.#reconnect(client, error));
    client.on("notification", ({ payload }) => this.#receive(payload ?? ""));
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
    } catch (error) {
      client.end().catch(() => undefined);
      const { clock, log } = this.#options.runtime;
      if (tries === 0) log.warn(describeError(error), "cannot connect for signals between processes; retrying");
      const again = clock.sleep(backoff(tries, this.#options.runtime), this.#closing.signal);
      void again.then(() => this.connect(tries + 1));
      return;
    }
    if (this.#closing.signal.aborted) return void client.end().catch(() => undefined);
    this.#client = client;
    this.#probe(client);
    if (this.#wasConnected) this.#local.publish({ topic: "all" });
    this.#wasConnected = true;
    this.#scheduleSend();
  }

  #reconnect(client: pg.Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#cancelProbe();
    client.end().catch(() => undefined);
    this.#options.runtime.log.warn(describeError(error), "the connection for signals between processes is lost");
    // Signals in flight may have been lost.
    this.#batch.add({ topic: "all" });
    void this.connect();
  }

  #scheduleSend(): void {
    if (this.#isBatching || this.#batch.isEmpty) return;
    this.#isBatching = true;
    this.#options.runtime.clock.after(batchInterval, () => {
      this.#isBatching = false;
      void this.#send();
    });
  }

  /** Sends one notification at a time; further signals are collected meanwhile. */
  async #send(): Promise<void> {
    await this.#sending;
    const client = this.#client;
    if (client === undefined || this.#batch.isEmpty) return;
    const text = this.#batch.toString();
    this.#batch = new SignalBatch();
    this.#sending = this.#notify(client, text).finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  async #notify(client: pg.Client, text: string): Promise<void> {
    try {
      const values = [channel, `${this.#options.processId} ${text}`];
      await client.query({ name: "notify", text: "select pg_notify($1, $2)", values });
    } catch (error) {
      this.#reconnect(client, error);
    }
  }

  #receive(payload: string): void {
    const space = payload.indexOf(" ");
    const isOwn = payload.slice(0, space) === this.#options.processId;
    const text = payload.slice(space + 1);
    if (text.startsWith(probeLetter)) {
      if (isOwn && text === probeLetter + this.#probes) this.#probe(this.#client);
    } else if (!isOwn) {
      for (const signal of parseSignals(text)) this.#local.publish(signal);
    }
  }

  /**
   * Detects an open connection that no longer delivers: sends a probe to itself periodically, and drops the connection if the probe does not return.
   */
  #probe(client: pg.Client | undefined): void {
    if (client === undefined || this.#closing.signal.aborted) return;
    const { runtime, probeInterval = 10_000, probeTimeout = 5_000 } = this.#options;
    this.#cancelProbe();
    this.#cancelProbe = runtime.clock.after(probeInterval, () => {
      this.#probes += 1;
      const fail = (): void => this.#reconnect(client, new Error("notifications do not arrive"));
      this.#cancelProbe = runtime.clock.after(probeTimeout, fail);
      void this.#notify(client, probeLetter + this.#probes);
    });
  }
}
