import type { FastifyRequest } from "fastify";
import type { Platform } from "../define/platform.ts";
import type { Registry } from "../define/registry.ts";
import type { Engine } from "../engine/seam.ts";
import type { RunLogs } from "../events/followed.ts";
import type { Principal } from "../model/principal.ts";
import type { Runtime } from "../model/runtime.ts";
import type { Store } from "../store/seam.ts";

/** What the HTTP interface stands on. */
export interface Services {
  readonly platform: Platform;
  readonly registry: Registry;
  readonly engine: Engine;
  readonly logs: RunLogs;
  readonly store: Store;
  readonly runtime: Runtime;
  /** Whether it serves everybody on this machine, and nobody else: then it is called by a name of this machine. */
  readonly isLocalOnly: boolean;
  /** Who is calling. Throws `unauthenticated` for a caller who must not be served. */
  principalOf(request: FastifyRequest): Principal | Promise<Principal>;
}
