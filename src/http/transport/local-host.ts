/**
 * Host names under which a loopback-only server without authorization may be called. A page whose host name resolves to this machine (DNS rebinding)
 * has the same origin as the server, so the browser lets it read everything: only its `Host` header gives it away.
 */
import type { IncomingMessage } from "node:http";
import { TroupeError } from "../../errors.ts";
import { isLoopback } from "../../model/loopback.ts";

/**
 * The error for a request that does not come from this machine, or that names another one. The server's own port is on loopback; the server of an application
 * that mounts the platform may be on any address.
 */
export function localRefusal({ headers, socket }: IncomingMessage): TroupeError | undefined {
  const { remoteAddress } = socket;
  if (remoteAddress !== undefined && isLoopback(remoteAddress)) return hostRefusal(headers.host);
  const client = remoteAddress === undefined ? "the address of this client is not known" : "this client is not local";
  return new TroupeError(
    "forbidden",
    `Without authorization this server answers local clients only, and ${client}: turn authorization on, or set allowAnonymous.`,
  );
}

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
