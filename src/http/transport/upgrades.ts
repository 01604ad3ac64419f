/** Connections that leave HTTP (RFC 9110 section 7.8): to which paths, and who is let through. Every other wish to leave it is not heard. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { InvariantError, TroupeError } from "../../errors.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Cors } from "./cors.ts";
import { hostRefusal } from "./local-host.ts";
import { refuseUpgrade } from "./raw-errors.ts";

/** Seconds after which somebody who came while the server closes may come again. */
const retryAfter = 5;

/** Takes a connection over. `head` is what came behind its request already. */
export type TakeOver = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** What decides whether a connection is let through. */
export interface UpgradeRules {
  readonly cors: Cors;
  /** See `Services`. */
  readonly isLocalOnly: boolean;
  readonly isClosing: () => boolean;
  readonly runtime: Runtime;
}

/** The paths at which connections leave HTTP. */
export class Upgrades {
  readonly #takers = new Map<string, TakeOver>();

  /** Lets connections to a path be taken over. */
  add(path: string, take: TakeOver): void {
    if (this.#takers.has(path)) throw new InvariantError(`Two parts take connections to ${path} over.`);
    this.#takers.set(path, take);
  }

  /** Whether a request is to leave HTTP here; one that is not is served as if it had not asked. */
  isMeant(request: IncomingMessage): boolean {
    return this.#takerOf(request) !== undefined;
  }

  /** For the server's event `upgrade`. */
  answer(request: IncomingMessage, socket: Duplex, head: Buffer, rules: UpgradeRules): void {
    // Until somebody listens, a connection that breaks would end the process.
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
    return this.#takers.get(url.split(/[?#]/, 1)[0]?.replace(/(?<=[^/])\/$/, "") ?? "");
  }
}

/** A page may open a web socket to anywhere, and the browser asks nobody: so it is told here. */
function refusalOf(
  { headers }: IncomingMessage,
  { cors, isLocalOnly, isClosing }: UpgradeRules,
): TroupeError | undefined {
  if (isClosing()) return new TroupeError("unavailable", "The server is shutting down.", { retryAfter });
  return (isLocalOnly ? hostRefusal(headers.host) : undefined) ?? cors.refusalOfOrigin(headers);
}

function notFound(): TroupeError {
  return new TroupeError("notFound", "Not Found");
}

function ignore(): void {}
