/**
 * Restricts the addresses of push notifications and webhooks. A client supplies the address, and the server sends the request from inside its network:
 * without these rules, a client could make the server call hosts that only the server can reach.
 */
import { BlockList, isIP } from "node:net";
import { type Address, publicNames, type Resolve, systemNames } from "./resolve.ts";

/** Exceptions that the platform allows. */
export interface AddressRules {
  /** Allows plain HTTP. */
  readonly allowHttp: boolean;
  /** Allows addresses outside the public internet: private, loopback, link-local and the like. */
  readonly allowPrivate: boolean;
}

/** A resolved destination: the name is resolved once, so that it cannot change before the connection is made. */
export interface Pinned {
  readonly url: URL;
  /** The host without the brackets of an IPv6 address and without a trailing dot. */
  readonly host: string;
  /** At least one; the connection uses the first that answers. */
  readonly addresses: readonly Address[];
}

/** The address must not be called. */
export class AddressRejected extends Error {
  override readonly name = "AddressRejected";
}

/** Maximum length of a URL, in characters. */
const maxUrlLength = 2_048;

/** Names of this machine or of the local network, whatever they resolve to (RFC 6761, RFC 6762, RFC 8375). */
const innerNames = /(^|\.)(localhost|local|internal|home\.arpa|localdomain)$/;

/** Ports of services that might interpret a request as their own protocol, such as mail (Fetch, section 2.9). */
const foreignPorts: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
  ],
  ...[532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060],
  ...[5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

/** Separate lists: one list would also compare IPv4 addresses, as mapped addresses, with IPv6 ranges. */
const inner4 = innerOf4();
const inner6 = innerOf6();

/** Parses and checks the URL that a client gives, without resolving its host. @throws AddressRejected */
export function readTargetUrl(text: string, rules: AddressRules): URL {
  const url = URL.parse(text);
  if (url === null) throw new AddressRejected("it is not a URL");
  if (text.length > maxUrlLength) throw new AddressRejected(`it is longer than ${maxUrlLength} characters`);
  const isPlain = url.protocol === "http:" && rules.allowHttp;
  if (url.protocol !== "https:" && !isPlain) throw new AddressRejected("it must begin with https://");
  if (url.username !== "" || url.password !== "")
    throw new AddressRejected("it must not hold a user name or a password");
  const host = hostOf(url);
  if (host === "") throw new AddressRejected("it names no host");
  if (url.port !== "" && foreignPorts.has(Number(url.port)))
    throw new AddressRejected("its port is that of another service than HTTP");
  if (rules.allowPrivate) return url;
  if (innerNames.test(host)) throw new AddressRejected("its host is not of the public internet");
  if (isIP(host) !== 0) rejectInner(host);
  return url;
}

/** Resolves the URL's host once and keeps the result. @throws AddressRejected, or the resolver's error */
export async function pin(text: string, rules: AddressRules, resolve: Resolve = resolverOf(rules)): Promise<Pinned> {
  const url = readTargetUrl(text, rules);
  const host = hostOf(url);
  const literal = isIP(host);
  const found = literal === 0 ? await resolve(host) : [{ address: host, family: literal }];
  // A single inner address is enough to reject the name: a mixed answer is typical of names made to bypass this check.
  if (!rules.allowPrivate) for (const { address } of found) rejectInner(address);
  if (found.length === 0) throw new AddressRejected("its host has no address");
  return { url, host, addresses: found };
}

/** Whether an IP address belongs to the public internet. */
export function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !inner4.check(address, "ipv4");
  return family === 6 && !inner6.check(address, "ipv6");
}

function rejectInner(address: string): void {
  if (!isPublic(address)) throw new AddressRejected("its host is not of the public internet");
}

/** If inner addresses are allowed, the system's resolver is used, which knows local names. */
function resolverOf({ allowPrivate }: AddressRules): Resolve {
  return allowPrivate ? systemNames : publicNames();
}

/** The URL's host without the brackets of an IPv6 address and without a trailing dot. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/** IANA's special-purpose registries (RFC 6890 and its successors), multicast, and a cloud provider's platform address. */
function innerOf4(): BlockList {
  return blockListOf("ipv4", [
    ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
    ...["192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24"],
    ...["198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32"],
  ]);
}

/** Everything except global unicast (RFC 4291), and global ranges that embed an IPv4 address or do not belong to the internet. */
function innerOf6(): BlockList {
  const notGlobal = ["::/3", "4000::/2", "8000::/1"];
  return blockListOf("ipv6", [...notGlobal, "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]);
}

function blockListOf(family: "ipv4" | "ipv6", ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = "", length] = range.split("/");
    list.addSubnet(net, Number(length), family);
  }
  return list;
}
