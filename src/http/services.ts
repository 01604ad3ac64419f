import type { FastifyRequest } from "fastify";
import type { Platform } from "../define/platform.ts";
import type { Engine } from "../engine/seam.ts";
import type { RunLogs } from "../events/followed.ts";
import type { Principal } from "../model/principal.ts";
import type { Runtime } from "../model/runtime.ts";
import type { Store } from "../store/seam.ts";

/** What the HTTP interface stands on. */
export interface Services {
  readonly platform: Platform;
  readonly engine: Engine;
  readonly logs: RunLogs;
  readonly store: Store;
  readonly runtime: Runtime;
  /** Who is calling. Throws `unauthenticated` for a caller who must not be served. */
  principalOf(request: FastifyRequest): Principal | Promise<Principal>;
}
