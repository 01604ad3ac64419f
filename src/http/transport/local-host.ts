/**
 * Host names under which a loopback-only server without authorization may be called. A page whose host name resolves to this machine (DNS rebinding)
 * has the same origin as the server, so the browser lets it read everything: only its `Host` header gives it away.
 */
import { TroupeError } from "../../errors.ts";

const loopbackName = /^(localhost|[a-z0-9.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])\.?(:\d+)?$/i;

/** The error for a request with this `Host`, unless the name is a loopback name. */
export function hostRefusal(host: string | undefined): TroupeError | undefined {
  if (host === undefined || loopbackName.test(host)) return;
  const name = JSON.stringify(host.slice(0, 200));
  return new TroupeError(
    "forbidden",
    `Without authorization this server answers on loopback only, and the header Host is ${name}: call http://127.0.0.1, or start it with --allow-anonymous.`,
  );
}
