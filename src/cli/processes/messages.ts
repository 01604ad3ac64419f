/** Messages between the primary process and its server processes. Apps may use the same channel, so each one is the member `troupe` of an object. */
import type { MetricValues } from "../../platform/metrics-sum.ts";

/** From the primary process to a server process. */
export type Order =
  /** Close, as on SIGTERM. `isChecked`: a load balancer checks the readiness of some process. */
  | { readonly type: "close"; readonly isChecked: boolean }
  /** Close while the other processes accept the connections of the port. */
  | { readonly type: "retire" }
  | { readonly type: "measure" };

/** From a server process to the primary process. */
export type Report =
  /** The process listens. */
  | { readonly type: "ready"; readonly greeting: string; readonly isLocalOnly: boolean }
  /** A readiness check arrived. */
  | { readonly type: "checked" }
  /** `isLast`: the process has closed, and the values are its counts. */
  | { readonly type: "measured"; readonly values: MetricValues; readonly isLast: boolean };

/** Returns the report or order in a message; undefined if the message is not one. */
export function contentOf<T extends Order | Report>(message: unknown): T | undefined {
  return (message as { troupe?: T } | null)?.troupe;
}
