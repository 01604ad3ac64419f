/**
 * Upgrades of connections (RFC 9110 section 7.8): the paths that accept them, and the callers that may use them. Every other upgrade header is
 * ignored.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { defaultRetryAfter, InvariantError, TroupeError } from "../../errors.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Cors } from "./cors.ts";
import { localRefusal } from "./local-host.ts";
import { withoutBase } from "./mounted.ts";
import { refuseUpgrade } from "./raw-errors.ts";

/** Takes a connection over. `head` holds the bytes that arrived after its request. */
export type TakeOver = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** The checks that decide whether a connection is accepted. */
export interface UpgradeRules {
  readonly cors: Cors;
  /** See `Services`. */
  readonly isLocalOnly: boolean;
  readonly isClosing: () => boolean;
  readonly runtime: Runtime;
}

/** The paths that accept upgrades. */
export class Upgrades {
  readonly #takers = new Map<string, TakeOver>();
  readonly #basePath: string;

  /** @param basePath see `Services` */
  constructor(basePath = "") {
    this.#basePath = basePath;
  }

  /** Registers a handler for connections to a path. */
  add(path: string, take: TakeOver): void {
    if (this.#takers.has(path)) throw new InvariantError(`Two parts take connections to ${path} over.`);
    this.#takers.set(path, take);
  }

  /** Whether a path accepts this upgrade; any other upgrade header is ignored. */
  isMeant(request: IncomingMessage): boolean {
    return this.#takerOf(request) !== undefined;
  }

  /** Handles the server's `upgrade` event. */
  answer(request: IncomingMessage, socket: Duplex, head: Buffer, rules: UpgradeRules): void {
    // Without an error listener, a broken connection would end the process.
    socket.on("error", ignore);
    const take = this.#takerOf(request);
    const refusal = refusalOf(request, rules);
    if (!take || refusal) refuseUpgrade(socket, refusal ?? notFound(), rules.runtime);
    else {
      socket.off("error", ignore);
      take(request, socket, head);
    }
  }

  #takerOf({ method, url = "", headers }: IncomingMessage): TakeOver | undefined {
    if (method !== "GET" || headers.upgrade?.toLowerCase() !== "websocket") return undefined;
    return this.#takers.get(
      withoutBase(url, this.#basePath)
        .split(/[?#]/, 1)[0]
        ?.replace(/(?<=[^/])\/$/, "") ?? "",
    );
  }
}

/** Browsers let a page open a web socket to any origin without a preflight, so the server checks the origin. */
function refusalOf(request: IncomingMessage, { cors, isLocalOnly, isClosing }: UpgradeRules): TroupeError | undefined {
  if (isClosing())
    return new TroupeError("unavailable", "The server is shutting down.", { retryAfter: defaultRetryAfter });
  return (isLocalOnly ? localRefusal(request) : undefined) ?? cors.refusalOfOrigin(request.headers);
}

function notFound(): TroupeError {
  return new TroupeError("notFound", "Not Found");
}

function ignore(): void {}
