/** The protocols of other servers. */
import type { Remote, RemoteTarget } from "../../define/remote.ts";
import { a2aUpstream } from "./a2a/upstream.ts";
import { agentOsUpstream } from "./agent-os.ts";
import type { Upstream, UpstreamParts } from "./upstream.ts";

const protocols: Readonly<Record<RemoteTarget["protocol"], (remote: Remote, parts: UpstreamParts) => Upstream>> = {
  agentos: agentOsUpstream,
  a2a: a2aUpstream,
};

/** Returns the server behind a remote component. */
export function upstreamOf(remote: Remote, parts: UpstreamParts): Upstream {
  return protocols[remote.target.protocol](remote, parts);
}
