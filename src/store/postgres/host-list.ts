/** The hosts of a connection string. */
import { ConfigurationError } from "../../errors.ts";

/** Which servers are accepted, with the meaning that libpq gives to `target_session_attrs`. */
export type SessionTarget = "any" | "read-write" | "primary" | "standby";

/** Use of the connections: the target of several hosts without `target_session_attrs`. */
export type HostUse = "read-write" | "standby";

const targets: Readonly<Record<HostUse, readonly SessionTarget[]>> = {
  "read-write": ["any", "read-write", "primary"],
  standby: ["any", "standby"],
};

/** A connection string per host, in their order, and what a session must be able to do. */
export interface HostList {
  readonly urls: readonly [string, ...string[]];
  readonly target: SessionTarget;
}

const targetParameter = /([?&])target_session_attrs=([^&]*)(?:&|$)/;
const hostParameter = /[?&](?:host|port)=[^&]*(?:,|%2c)/i;
/** The form of a connection string. */
export const connectionString = "a Postgres connection string, like postgres://user:password@host:5432/name";

/** The error text for a connection string that cannot be parsed. */
export const unreadable: string = `the database must be ${connectionString}, and what was given cannot be read as one: in a user or password, write %23 for #, %2F for /, %3F for ?, %40 for @`;

/** Scheme, user and password, hosts, and the rest. */
const parts = /^(\w+:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/s;

/**
 * Splits `postgres://user:password@h1:5432,h2:5432/name?target_session_attrs=read-write`. Several hosts without the parameter mean `read-write`,
 * unlike in libpq: this server writes, so a standby is of no use to it. The hosts of a standby's connection string mean `standby`.
 * @throws ConfigurationError
 */
export function parseHosts(url: string, use: HostUse = "read-write"): HostList {
  const given = targetParameter.exec(url)?.[2];
  const rest = url.replace(targetParameter, "$1").replace(/[?&]$/, "");
  const known: readonly string[] = targets[use];
  if (given !== undefined && !known.includes(given)) {
    const reason = use === "standby" ? "it is the connection string of a standby" : "the server writes";
    throw new ConfigurationError(
      `target_session_attrs in the database's connection string must be one of ${known.join(", ")}: ${reason}`,
    );
  }
  if (hostParameter.test(rest))
    throw new ConfigurationError(
      "several hosts belong before the database's name, like postgres://user:password@h1:5432,h2:5432/name, and not into parameters",
    );
  const [, scheme = "", user = "", hosts = "", tail = ""] = parts.exec(rest) ?? [];
  // An unescaped password ends the hosts early: its beginning would be a port, and its rest the database's name.
  if (/^[^?]*@/.test(tail)) throw new ConfigurationError(unreadable);
  const [first = "", ...others] = hosts.split(",");
  if (others.length === 0) return { urls: [rest], target: (given ?? "any") as SessionTarget };
  // The text of the host is not repeated: an unescaped password may be in it.
  if ([first, ...others].some((host) => host === ""))
    throw new ConfigurationError("the list of hosts in the database's connection string has an empty entry");
  const urlOf = (host: string): string => `${scheme}${user}${host}${tail}`;
  return { urls: [urlOf(first), ...others.map(urlOf)], target: (given ?? use) as SessionTarget };
}
