/**
 * Host names under which a loopback-only server without authorization may be called. A page whose host name resolves to this machine (DNS rebinding)
 * has the same origin as the server, so the browser lets it read everything: only its `Host` header gives it away.
 */
import { TroupeError } from "../../errors.ts";
import { isLoopback } from "../../model/loopback.ts";

/** A host name, or an IPv6 address in brackets, before an optional port. */
const hostHeader = /^(?:\[([\da-f]*:[\da-f:.]*)\]|([^:[\]]+?))\.?(?::\d+)?$/i;

/** Browsers themselves resolve names below `localhost` to this machine. */
const belowLocalhost = /^[a-z0-9.-]+\.localhost$/i;

/** The error for a request with this `Host`, unless the name is a loopback name. */
export function hostRefusal(host: string | undefined): TroupeError | undefined {
  if (host === undefined) return;
  const [, address, hostName = ""] = hostHeader.exec(host) ?? [];
  if (isLoopback(address ?? hostName) || belowLocalhost.test(hostName)) return;
  const name = JSON.stringify(host.slice(0, 200));
  return new TroupeError(
    "forbidden",
    `Without authorization this server answers on loopback only, and the header Host is ${name}: call http://127.0.0.1, or start it with --allow-anonymous.`,
  );
}
