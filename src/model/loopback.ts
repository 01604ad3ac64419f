/** Hosts that only this machine can reach. */
import { BlockList, isIP } from "node:net";

const addresses = new BlockList();
addresses.addSubnet("127.0.0.0", 8, "ipv4");
addresses.addAddress("::1", "ipv6");

/**
 * Whether only this machine can reach a host: an IP address without brackets, or `localhost`. Names below `localhost` do not count, because some
 * systems look them up in the DNS.
 */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === "localhost";
  return addresses.check(host, family === 4 ? "ipv4" : "ipv6");
}
