/** One web socket: its caller, its messages, which are handled one at a time, and the runs that it follows. */
import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import { TroupeError } from "../../errors.ts";
import type { RawFields } from "../../http/input/decode.ts";
import { metaData } from "../../http/streams/meta-frames.ts";
import type { OpenStreams } from "../../http/streams/open-streams.ts";
import type { InterfaceServices } from "../../http/transport/services.ts";
import { BadJson, parseJson } from "../../model/json-text.ts";
import type { Principal } from "../../model/principal.ts";
import { type ActionRequest, continueWorkflow, type FollowedRun, reconnect, startWorkflow } from "./actions.ts";
import { Authentication } from "./authentication.ts";
import { authorizeAction } from "./authorize.ts";
import { followRun } from "./follow-run.ts";
import { SocketOutput } from "./output.ts";

/** Maximum number of runs that one socket follows at a time. */
const maxFollowedRuns = 100;
/** Rejected tokens after which the connection is closed. */
const maxRejections = 10;
/** Unanswered pings in a row after which the client counts as disconnected. */
const maxUnansweredPings = 2;
/** Maximum length of a client's text that an error repeats, in characters. */
const maxEchoLength = 100;

/** Status codes of RFC 6455 section 7.4.1. */
const closeCodes = { normal: 1000, goingAway: 1001, policy: 1008, tooBig: 1009 } as const;

interface Subscription {
  readonly workflowId: string;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Services that all connections share. */
export interface ConnectionParts {
  readonly services: InterfaceServices;
  readonly streams: OpenStreams;
}

const actions: Readonly<Record<string, (request: ActionRequest) => Promise<FollowedRun>>> = {
  "start-workflow": startWorkflow,
  "continue-workflow": continueWorkflow,
  reconnect,
};

export class Connection {
  readonly #socket: WebSocket;
  readonly #address: string;
  readonly #services: InterfaceServices;
  readonly #streams: OpenStreams;
  readonly #output: SocketOutput;
  readonly #authentication: Authentication;
  /** By run id. */
  readonly #followed = new Map<string, Subscription>();
  readonly #waiting: { readonly data: RawData; readonly isBinary: boolean }[] = [];
  readonly #timers = new Set<() => void>();
  #stopIdle: () => void = () => {};
  #caller: Principal | undefined;
  #rejections = 0;
  #isBusy = false;
  #unansweredPings = 0;

  /** @param stream the connection below the socket, for the messages of runs */
  constructor(socket: WebSocket, stream: Duplex, address: string, { services, streams }: ConnectionParts) {
    this.#socket = socket;
    this.#address = address;
    this.#services = services;
    this.#streams = streams;
    this.#output = new SocketOutput(socket, stream, services.platform.settings.maxSocketBufferBytes);
    this.#authentication = new Authentication(services, address);
    // `close` follows every error and is handled below.
    socket.on("error", () => {});
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("pong", () => {
      this.#unansweredPings = 0;
    });
    socket.once("close", () => this.#close());
    this.#open();
  }

  /** Whether the client has authenticated, or need not. */
  get isAuthenticated(): boolean {
    return this.#caller !== undefined;
  }

  /** Closes the connection at once: an unauthenticated client sent too many bytes. */
  rejectFlood(): void {
    this.#socket.close(closeCodes.tooBig, "Too many bytes arrived before a token");
    this.#services.runtime.clock.defer(() => this.#socket.terminate());
  }

  /** Closes the connection after the client has received the index to resume from for each followed run. */
  async end(): Promise<void> {
    await Promise.all([...this.#followed.values()].map(({ ended }) => ended));
    this.#socket.close(closeCodes.goingAway, "The server is shutting down.");
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  #open(): void {
    const { settings } = this.#services.platform;
    this.#output.send(this.#authentication.connectedMessage);
    if (this.#authentication.isRequired) this.#limitAuthenticationTime();
    else this.#caller = this.#services.gate.outsider();
    this.#every(settings.heartbeatInterval, () => this.#ping());
    this.#every(settings.credentialCheckInterval, () => void this.#recheckCredential());
    this.#restartIdle();
  }

  /** Closes the connection of a client that answers no pings. */
  #ping(): void {
    if (this.#unansweredPings++ >= maxUnansweredPings) this.#socket.terminate();
    else this.#socket.ping();
  }

  #limitAuthenticationTime(): void {
    const { socketAuthenticationTimeout } = this.#services.platform.settings;
    const stop = this.#after(socketAuthenticationTimeout, () => {
      stop();
      if (this.#caller) return;
      this.#output.send(metaData("auth_error", { error: "Authentication did not come in time" }));
      this.#socket.close(closeCodes.policy, "Authentication did not come in time");
    });
  }

  #restartIdle(): void {
    this.#stopIdle();
    this.#stopIdle = this.#after(this.#services.platform.settings.socketIdleTimeout, () => {
      this.#stopIdle();
      if (this.#followed.size > 0) return this.#restartIdle();
      this.#output.send(metaData("error", { error: "The connection was idle for too long and is closed." }));
      this.#socket.close(closeCodes.normal, "Idle");
    });
  }

  /** Handles one message at a time; meanwhile the socket is paused. */
  #receive(data: RawData, isBinary: boolean): void {
    if (!this.#isOpen) return;
    this.#waiting.push({ data, isBinary });
    if (!this.#isBusy) void this.#answerAll();
  }

  async #answerAll(): Promise<void> {
    this.#isBusy = true;
    this.#socket.pause();
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#restartIdle();
      if (this.#output.isFull) await this.#output.drained();
      if (!this.#isOpen) break;
      await this.#answer(next.data, next.isBinary);
    }
    this.#waiting.length = 0;
    this.#isBusy = false;
    // Also resumes the socket when the connection closes: otherwise the client's close frame would not be read.
    this.#socket.resume();
  }

  async #answer(data: RawData, isBinary: boolean): Promise<void> {
    try {
      const fields = fieldsOf(data, isBinary);
      if (fields.action === "authenticate") await this.#authenticate(fields);
      else if (!this.#caller) this.#output.send(this.#authentication.requiredMessage);
      else await this.#perform(await this.#currentCaller(), fields);
    } catch (error) {
      this.#output.send(metaData("error", { error: this.#errorText(error) }));
    }
  }

  async #perform(caller: Principal | undefined, fields: RawFields): Promise<void> {
    if (!caller) return;
    const { action } = fields;
    await this.#services.runs.takeRequest(caller, this.#address);
    if (action === "ping") return this.#output.send(metaData("pong"));
    const act = typeof action === "string" && Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (!act) throw new TroupeError("badRequest", `Unknown action: ${echo(action)}`);
    // A new subscription to a followed run replaces the previous one, so it does not count as an additional one.
    const isReplacement = act !== startWorkflow && this.#isFollowed(fields.run_id);
    if (!isReplacement && this.#followed.size >= maxFollowedRuns)
      throw new TroupeError("tooManyRequests", `A connection follows at most ${maxFollowedRuns} runs at a time`);
    const leave = this.#streams.enter(caller, this.#address, isReplacement ? 1 : 0);
    let ended = Promise.resolve();
    try {
      const { token } = this.#authentication;
      const run = await act({ runs: this.#services.runs, caller, fields, token });
      ended = this.#follow(run);
    } finally {
      void ended.then(leave);
    }
  }

  #isFollowed(runId: unknown): boolean {
    return typeof runId === "string" && this.#followed.get(runId)?.stop.signal.aborted === false;
  }

  /** Follows a run; a previous subscription to it ends. Resolves when the run is no longer followed. */
  #follow({ workflowId, stream, waiting }: FollowedRun): Promise<void> {
    const { runId } = stream;
    this.#followed.get(runId)?.stop.abort();
    if (waiting) this.#output.send(metaData("pending", { run_id: runId, session_id: waiting.sessionId }));
    const stop = new AbortController();
    if (!this.#isOpen) return Promise.resolve();
    const ended = followRun(this.#output, stream, stop.signal)
      .catch((error: unknown) => {
        if (!stop.signal.aborted)
          this.#output.send(metaData("error", { error: this.#errorText(error), run_id: runId }));
      })
      .finally(() => {
        if (this.#followed.get(runId)?.stop === stop) this.#followed.delete(runId);
        this.#restartIdle();
      });
    this.#followed.set(runId, { workflowId, stop, ended });
    return ended;
  }

  async #authenticate({ token }: RawFields): Promise<void> {
    const text = typeof token === "string" ? token : "";
    try {
      const caller = await this.#authentication.authenticate(text);
      this.#setCaller(caller);
      this.#rejections = 0;
      for (const message of this.#authentication.acceptedMessages(caller)) this.#output.send(message);
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      this.#output.send(this.#authentication.rejectionMessage(text, error));
      if (++this.#rejections >= maxRejections) this.#socket.close(closeCodes.policy, "Too many tokens were rejected");
    }
  }

  /** The current caller. If its token is no longer valid, the caller is signed out and receives an error; the result is then undefined. */
  async #currentCaller(): Promise<Principal | undefined> {
    try {
      const caller = (await this.#authentication.recheck()) ?? this.#caller;
      if (caller) this.#setCaller(caller);
      return caller;
    } catch (error) {
      if (!(error instanceof TroupeError) || error.code !== "unauthenticated") throw error;
      this.#signOut(error);
      return undefined;
    }
  }

  async #recheckCredential(): Promise<void> {
    if (this.#isBusy || this.#followed.size === 0) return;
    try {
      await this.#currentCaller();
    } catch (error) {
      this.#services.runtime.log.debug({ error }, "The token of a web socket could not be checked again.");
    }
  }

  #signOut(error: TroupeError): void {
    this.#output.send(this.#authentication.expiryMessage(error));
    this.#authentication.forget();
    this.#stopAll();
    if (this.#authentication.isRequired) {
      this.#caller = undefined;
      this.#limitAuthenticationTime();
    } else this.#caller = this.#services.gate.outsider();
  }

  /** Changes the caller, and ends subscriptions to runs that the new caller may not follow. */
  #setCaller(caller: Principal): void {
    const isOther = this.#caller !== undefined && visibilityOf(this.#caller) !== visibilityOf(caller);
    this.#caller = caller;
    for (const [runId, { workflowId, stop }] of this.#followed) {
      if (stop.signal.aborted) continue;
      try {
        if (isOther)
          throw new TroupeError(
            "forbidden",
            "The connection has another caller or other rights: it no longer follows the run",
          );
        authorizeAction(this.#services.runs, caller, "reconnect", workflowId);
      } catch (error) {
        stop.abort();
        this.#output.send(metaData("error", { error: this.#errorText(error), run_id: runId }));
      }
    }
  }

  #stopAll(): void {
    for (const { stop } of this.#followed.values()) stop.abort();
  }

  #close(): void {
    this.#stopAll();
    this.#waiting.length = 0;
    for (const stop of this.#timers) stop();
    this.#timers.clear();
  }

  /** Starts no timer on a closed connection: it would keep the connection in memory. */
  #after(milliseconds: number, callback: () => void): () => void {
    if (!this.#isOpen) return () => {};
    const cancel = this.#services.runtime.clock.after(milliseconds, callback);
    const stop = (): void => {
      cancel();
      this.#timers.delete(stop);
    };
    this.#timers.add(stop);
    return stop;
  }

  #every(milliseconds: number, callback: () => void): void {
    const stop = this.#after(milliseconds, () => {
      stop();
      this.#every(milliseconds, callback);
      callback();
    });
  }

  /** The error text for the client. Errors that are not meant for clients are logged and reported as internal. */
  #errorText(error: unknown): string {
    if (error instanceof TroupeError && error.code !== "internal") return error.message;
    this.#services.runtime.log.error({ error }, "A message of a web socket could not be answered.");
    return "Internal server error";
  }
}

/** The properties of a caller that decide which runs it may see. */
function visibilityOf({ kind, userId, owner, isAdmin, claims }: Principal): string {
  return JSON.stringify([kind, userId, owner, isAdmin, claims?.sessionId]);
}

/** @throws TroupeError `badRequest` for a message that is not a JSON object */
function fieldsOf(data: RawData, isBinary: boolean): RawFields {
  if (isBinary) throw new TroupeError("badRequest", "Messages must be text");
  let value: unknown;
  try {
    value = parseJson(data.toString());
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    throw new TroupeError("badRequest", `Invalid JSON: ${error.message}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as RawFields;
  throw new TroupeError("badRequest", "Messages must be JSON objects");
}

/** A missing action is named None, as recorded. */
function echo(action: unknown): string {
  if (action === undefined || action === null) return "None";
  const text = typeof action === "string" ? action : JSON.stringify(action);
  return text.slice(0, maxEchoLength).toWellFormed();
}
