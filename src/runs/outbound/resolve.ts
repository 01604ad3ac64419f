/** Resolves host names. */
import { lookup, Resolver } from "node:dns/promises";

/** An IP address, of family 4 or 6. */
export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name. @throws the resolver's error */
export type Resolve = (host: string) => Promise<readonly Address[]>;

/** Timeout in milliseconds for a name server's answer, and attempts per server. */
const limits = { timeout: 2_000, tries: 2 };

/** The system's resolver, with its hosts file and configuration. */
export const systemNames: Resolve = async (host) => await lookup(host, { all: true, verbatim: true });

/**
 * Queries name servers directly, by default the servers of the system. The system's resolver would occupy one of the process's few worker threads for
 * as long as a name server, which may be the caller's, does not answer; those threads also make and verify the signatures of tokens.
 */
export function publicNames(servers?: readonly string[]): Resolve {
  return async (host) => {
    const resolver = new Resolver(limits);
    if (servers) resolver.setServers(servers);
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    if (four.status === "rejected" && six.status === "rejected") throw four.reason;
    return [...addressesOf(four, 4), ...addressesOf(six, 6)];
  };
}

function addressesOf(found: PromiseSettledResult<readonly string[]>, family: 4 | 6): readonly Address[] {
  return found.status === "fulfilled" ? found.value.map((address) => ({ address, family })) : [];
}
