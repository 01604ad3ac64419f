import type { Platform } from "../../define/platform.ts";
import type { Registry } from "../../define/registry.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { ScheduleService } from "../../model/schedule/service.ts";
import type { ServiceAccountStore } from "../../model/service-account.ts";
import type { Runs } from "../../runs/runs.ts";
import type { Store } from "../../store/contract/store.ts";
import type { OneTimeTokens } from "../internal/one-time-tokens.ts";
import type { CallerStreams } from "../streams/caller-streams.ts";
import type { Gate } from "./guard.ts";

/**
 * The services that an interface receives: enough to translate a protocol to commands on runs, and the log to frames. It has no store, engine, registry or logs, so
 * that every rule about runs stays in the service layer.
 */
export interface InterfaceServices {
  /** Every call on runs. The interface authorizes a caller with `runs.authorize` before any other call. */
  readonly runs: Runs;
  readonly platform: Pick<Platform, "id" | "settings">;
  /** Authenticates callers: `gate.authenticate(token, address)`, and `gate.outsider()` for a caller without a token. */
  readonly gate: Pick<Gate, "mode" | "authenticate" | "outsider">;
  /** Admits the streams of callers. */
  readonly streams: CallerStreams;
  /** Durable work of interfaces. */
  readonly jobs: InterfaceJobs;
  /** Clock, randomness and log. */
  readonly runtime: Runtime;
  /** Whether the server runs without authorization on loopback only: then the interface must listen on loopback only, too. */
  readonly isLocalOnly: boolean;
}

/** A job of an interface. */
export interface InterfaceJob {
  readonly id: string;
  /** The JSON value that the previous attempt left; undefined at first. */
  readonly state: unknown;
}

/** The end of an attempt: the job is over, or it is executed again after `delay` milliseconds with the state. */
export type JobOutcome =
  | { readonly kind: "done" }
  | { readonly kind: "again"; readonly delay: number; readonly state: unknown };

/** The jobs of one name. */
export interface JobQueue {
  /** Adds a job, unless there is one with this id. Resolves when it is durable. `share`: jobs of one share use at most a quarter of a process's slots. */
  add(id: string, share: string): Promise<void>;
  /** Executes a job at once that waits for its delay. Does nothing if there is none. */
  makeDue(id: string): Promise<void>;
  /** Stops executing jobs in this process; other processes, or the next start, execute them. */
  close(): Promise<void>;
}

/** Durable work of interfaces: rows that any process executes, at least once, also after a crash. */
export interface InterfaceJobs {
  /**
   * Executes the jobs of a name in this process, one attempt of a job at a time. An attempt that rejects is repeated after a pause with the same state. `signal` aborts when the
   * server closes.
   */
  open(name: string, execute: (job: InterfaceJob, signal: AbortSignal) => Promise<JobOutcome>): JobQueue;
}

/** A request of another service to a path of `OpenInterface.webhooks`. No caller is authenticated: the interface checks a signature or a secret. */
export interface WebhookRequest {
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as received, at most 1 MiB. */
  readonly body: Buffer;
}

/** The answer to such a request. */
export interface WebhookAnswer {
  readonly status: number;
  readonly json?: unknown;
}

/** A running interface. */
export interface Interface {
  /** Answers a request to one of the interface's `webhooks`. If it rejects, the answer is 503, so that the other service repeats the request. */
  receive?(request: WebhookRequest): Promise<WebhookAnswer>;
  /**
   * Closes the interface: it ends its connections at once. The server calls it once, when it closes. Live runs have finished or been handed over by
   * then, and every stream of `InterfaceServices.streams` has ended, or one second has passed.
   */
  close(): void | Promise<void>;
}

/** Opens an interface. The server calls it when it begins to listen, before it executes any waiting run. */
export interface OpenInterface {
  (services: InterfaceServices): Interface | Promise<Interface>;
  /** Paths of `POST` routes for which the server calls `Interface.receive`. Default: none. */
  readonly webhooks?: readonly string[];
}

/** The services of interfaces whose routes are routes of the HTTP interface. They are as narrow as `InterfaceServices`. */
export interface RouteServices extends Pick<InterfaceServices, "runs" | "runtime"> {
  readonly platform: Pick<Platform, "settings" | "version">;
  /** Authenticates and authorizes callers. */
  readonly gate: Gate;
}

/** A reason why a process is not ready. */
export type UnreadyReason = "shutting_down" | "database" | "migrations" | "not_accepting";

/** Whether a process can serve requests. */
export interface Readiness {
  /** Returns the reasons why it cannot, within about a second; none if it can. */
  reasons(): Promise<readonly UnreadyReason[]>;
}

/** The services that the HTTP interface uses. */
export interface Services {
  readonly platform: Platform;
  readonly registry: Registry;
  /** The service layer. */
  readonly runs: Runs;
  readonly store: Pick<Store, "capabilities">;
  readonly runtime: Runtime;
  /** Whether the server runs without authorization on loopback only: then requests must use a loopback host name. */
  readonly isLocalOnly: boolean;
  /** The path below which an application or a proxy serves the platform: `/troupe`, or empty. */
  readonly basePath: string;
  /** Authenticates and authorizes callers. */
  readonly gate: Gate;
  readonly accounts: ServiceAccountStore;
  /** Undefined on a platform without schedules. */
  readonly schedules: ScheduleService | undefined;
  /** Reports whether this process can serve requests now. */
  readonly readiness: Readiness;
  /** One-time tokens for calls that this process makes to itself. */
  readonly oneTimeTokens: OneTimeTokens;
}
