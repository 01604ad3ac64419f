/**
 * Limits bodies that are still arriving. Each one occupies a connection and memory for as long as its client takes, so their number is limited per
 * caller, per address and per process. At a limit, the server rejects the slowest bodies with 408; a client that sends at a normal pace is not
 * affected.
 */
import type { IncomingMessage, Server } from "node:http";
import { Socket } from "node:net";
import type { Principal } from "../../model/principal.ts";
import type { Clock } from "../../model/runtime.ts";
import { hasNoBody } from "../input/body.ts";

/** Maximum number of bodies that arrive at a time. */
export const maxArriving = { ofCaller: 50, atAddress: 250, ofAll: 1_000 } as const;

/** Milliseconds before the pace of a body is compared with others. */
const minArrivalTime = 2_000;

interface Arriving {
  readonly message: IncomingMessage;
  readonly begun: number;
  /** Bytes that the connection had received when the body began. */
  readonly bytesBefore: number;
}

interface Group {
  readonly limit: number;
  readonly bodies: Set<Arriving>;
}

export class ArrivingBodies {
  readonly #clock: Clock;
  readonly #refuse: (socket: Socket) => void;
  readonly #arriving = new WeakMap<IncomingMessage, Arriving>();
  readonly #groups = new Map<string, Group>();

  /** @param refuse answers a client whose body is too slow, and closes its connection */
  constructor(server: Server, clock: Clock, refuse: (socket: Socket) => void) {
    this.#clock = clock;
    this.#refuse = refuse;
    server.prependListener("request", (message: IncomingMessage) => this.#enter(message));
  }

  /** Counts the body of a request for its caller, too. */
  belongsTo(message: IncomingMessage, { kind, userId }: Principal): void {
    const arriving = this.#arriving.get(message);
    if (arriving && userId !== null) this.#join(arriving, `of ${kind} ${userId}`, maxArriving.ofCaller);
  }

  #enter(message: IncomingMessage): void {
    const { socket } = message;
    if (hasNoBody(message) || !(socket instanceof Socket)) return;
    const arriving = { message, begun: this.#clock.monotonic(), bytesBefore: socket.bytesRead };
    this.#arriving.set(message, arriving);
    this.#join(arriving, "of all", maxArriving.ofAll);
    this.#join(arriving, `at ${socket.remoteAddress ?? ""}`, maxArriving.atAddress);
  }

  #join(arriving: Arriving, name: string, limit: number): void {
    // The client disconnected during authentication.
    if (arriving.message.destroyed) return;
    const group = this.#groups.get(name) ?? { limit, bodies: new Set() };
    this.#groups.set(name, group);
    group.bodies.add(arriving);
    arriving.message.once("close", () => {
      group.bodies.delete(arriving);
      if (group.bodies.size === 0 && this.#groups.get(name) === group) this.#groups.delete(name);
    });
    this.#makeRoom(group);
  }

  #makeRoom(group: Group): void {
    for (const body of group.bodies) {
      if (group.bodies.size <= group.limit) return;
      if (body.message.complete) group.bodies.delete(body);
    }
    const now = this.#clock.monotonic();
    const paceOf = ({ message, begun, bytesBefore }: Arriving): number =>
      (message.socket.bytesRead - bytesBefore) / (now - begun);
    const old = [...group.bodies]
      .filter(({ begun }) => now - begun >= minArrivalTime)
      .sort((a, b) => paceOf(a) - paceOf(b));
    for (const slowest of old.slice(0, Math.max(group.bodies.size - group.limit, 0))) {
      group.bodies.delete(slowest);
      this.#refuse(slowest.message.socket);
    }
    // The remaining bodies are too young to be compared.
    if (group.bodies.size > group.limit) this.#clock.after(minArrivalTime, () => this.#makeRoom(group));
  }
}
