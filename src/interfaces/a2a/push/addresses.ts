/**
 * Which addresses a push notification may go to. The address comes from a client, and the request is made from inside the network: without
 * these rules a client could have the server call what only the server can reach.
 */
import { BlockList, isIP } from "node:net";
import { type Address, publicNames, type Resolve, systemNames } from "./names.ts";

/** What the platform allows beyond the usual. */
export interface AddressRules {
  /** Plain HTTP. */
  readonly allowHttp: boolean;
  /** Addresses that are not of the public internet: private, loopback, link-local and the like. */
  readonly allowPrivate: boolean;
}

/** Where a request goes: decided once, so that a name cannot mean another place when the connection is made. */
export interface Pinned {
  readonly url: URL;
  /** The host without what only a URL needs. */
  readonly host: string;
  /** At least one; which of them answers is found out. */
  readonly addresses: readonly Address[];
}

/** An address that is not to be called. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

/** Longest address, in characters. */
const longestUrl = 2_048;

/** Names that mean this machine or this network, whatever a resolver says of them (RFC 6761, RFC 6762, RFC 8375). */
const innerNames = /(^|\.)(localhost|local|internal|home\.arpa|localdomain)$/;

/** Ports of services that may take a request for something of their own, mail for instance (Fetch, section 2.9). */
const foreignPorts: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
  ],
  ...[532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060],
  ...[5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

/** Apart from each other: a list compares IPv4 addresses with ranges of IPv6, too, as if they were mapped. */
const inner4 = innerOf4();
const inner6 = innerOf6();

/** What an address may be that a client gives, as far as it can be told without asking anybody. @throws AddressRefused */
export function readPushUrl(text: string, rules: AddressRules): URL {
  const url = URL.parse(text);
  if (url === null) throw new AddressRefused("it is not a URL");
  if (text.length > longestUrl) throw new AddressRefused(`it is longer than ${longestUrl} characters`);
  const isPlain = url.protocol === "http:" && rules.allowHttp;
  if (url.protocol !== "https:" && !isPlain) throw new AddressRefused("it must begin with https://");
  if (url.username !== "" || url.password !== "")
    throw new AddressRefused("it must not hold a user name or a password");
  const host = hostOf(url);
  if (host === "") throw new AddressRefused("it names no host");
  if (url.port !== "" && foreignPorts.has(Number(url.port)))
    throw new AddressRefused("its port is that of another service than HTTP");
  if (rules.allowPrivate) return url;
  if (innerNames.test(host)) throw new AddressRefused("its host is not of the public internet");
  if (isIP(host) !== 0) refuseInner(host);
  return url;
}

/** Asks once where a name points to, and holds on to the answer. @throws AddressRefused, or what the resolver says */
export async function pin(text: string, rules: AddressRules, resolve: Resolve = resolverOf(rules)): Promise<Pinned> {
  const url = readPushUrl(text, rules);
  const host = hostOf(url);
  const literal = isIP(host);
  const found = literal === 0 ? await resolve(host) : [{ address: host, family: literal }];
  // One inner address among them is enough to refuse: such a name was made to be tried again until it fits.
  if (!rules.allowPrivate) for (const { address } of found) refuseInner(address);
  if (found.length === 0) throw new AddressRefused("its host has no address");
  return { url, host, addresses: found };
}

/** Whether an IP address is one of the public internet. */
export function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !inner4.check(address, "ipv4");
  return family === 6 && !inner6.check(address, "ipv6");
}

function refuseInner(address: string): void {
  if (!isPublic(address)) throw new AddressRefused("its host is not of the public internet");
}

/** Who may call inner addresses knows them by the system's own names. */
function resolverOf({ allowPrivate }: AddressRules): Resolve {
  return allowPrivate ? systemNames : publicNames();
}

/** Its host without the brackets of an IPv6 address and without a dot at its end. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/** The special-purpose registries of IANA (RFC 6890 and those after it), multicast, and the address at which a cloud serves its machines. */
function innerOf4(): BlockList {
  return blockListOf("ipv4", [
    ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
    ...["192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24"],
    ...["198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32"],
  ]);
}

/** All that is not global unicast (RFC 4291), and what carries an IPv4 address inside or is not of the internet. */
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
