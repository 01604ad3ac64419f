/**
 * Which names a server may be called by that serves everybody on this machine. A page whose host name is made to lead to this machine (DNS
 * rebinding) is of the same origin as the server, so a browser lets it read everything: its `Host` alone gives it away.
 */
import { TroupeError } from "../../errors.ts";

const loopbackName = /^(localhost|[a-z0-9.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])\.?(:\d+)?$/i;

/** Why a request under this `Host` must not be answered. */
export function hostRefusal(host: string | undefined): TroupeError | undefined {
  if (host === undefined || loopbackName.test(host)) return;
  const name = JSON.stringify(host.slice(0, 200));
  return new TroupeError(
    "forbidden",
    `Without authorization this server answers on loopback only, and the header Host is ${name}: call http://127.0.0.1, or start it with --allow-anonymous.`,
  );
}
