/** Where the names of hosts point to. */
import { lookup, Resolver } from "node:dns/promises";

/** An IP address, of family 4 or 6. */
export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Says where a name points to. @throws what the one that was asked says */
export type Resolve = (host: string) => Promise<readonly Address[]>;

/** Milliseconds that a name server has for an answer, and how often each is asked. */
const patience = { timeout: 2_000, tries: 2 };

/** As the system has it: its file of hosts and all that it is set up with. */
export const systemNames: Resolve = async (host) => await lookup(host, { all: true, verbatim: true });

/**
 * As name servers have it, those of the system unless others are given. The system's own way holds one of the process's few threads for as long as
 * a name server keeps silent, and that server may be the caller's: signatures of tokens are made and verified on these threads, too.
 */
export function publicNames(servers?: readonly string[]): Resolve {
  return async (host) => {
    const resolver = new Resolver(patience);
    if (servers) resolver.setServers(servers);
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    if (four.status === "rejected" && six.status === "rejected") throw four.reason;
    return [...addressesOf(four, 4), ...addressesOf(six, 6)];
  };
}

function addressesOf(found: PromiseSettledResult<readonly string[]>, family: 4 | 6): readonly Address[] {
  return found.status === "fulfilled" ? found.value.map((address) => ({ address, family })) : [];
}
