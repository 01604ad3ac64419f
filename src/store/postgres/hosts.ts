/** Chooses the server that connections go to, of the hosts in a connection string, and closes connections to any other server. */
import pg from "pg";
import type { Log } from "../../model/runtime.ts";
import { classifyPostgresError } from "../database-errors.ts";
import { clientConfig } from "./client.ts";
import { type HostUse, parseHosts, type SessionTarget } from "./host-list.ts";
import { destroyConnection } from "./socket.ts";
import { tlsHint } from "./tls.ts";

/** Milliseconds that a host may take to respond when the hosts are searched. Shorter than the time after which a request counts as unanswered. */
const searchTimeout = 3_000;
const probeTimeout = 1_500;

/** One server. */
interface Host {
  /** Host and port. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** The connection string of this host alone. */
  readonly url: string;
}

/** The query that rejects a session, and the reason. */
const objections: Readonly<Record<SessionTarget, { readonly query: string; readonly text: string } | undefined>> = {
  any: undefined,
  "read-write": {
    query: "select current_setting('transaction_read_only') = 'on' as refused",
    text: "the server accepts no writes",
  },
  standby: { query: "select not pg_is_in_recovery() as refused", text: "the server is not a standby" },
  primary: { query: "select pg_is_in_recovery() as refused", text: "the server is a standby" },
};

/** The hosts of one connection string. All its connections go to one server, until a connection to that server is lost. */
export class Hosts {
  readonly #hosts: readonly [Host, ...Host[]];
  readonly #target: SessionTarget;
  readonly #database: string;
  readonly #log: Log | undefined;
  readonly #clients = new Set<HostClient>();
  #current: Host | undefined;
  #last: Host | undefined;
  #searching: Promise<Host> | undefined;

  /** @param log receives host and port of the new server when the connections go to another one */
  constructor(url: string, log?: Log, use?: HostUse) {
    const { urls, target } = parseHosts(url, use);
    const [first, ...others] = urls;
    this.#hosts = [toHost(first), ...others.map(toHost)];
    this.#target = target;
    this.#database = new pg.Client(clientConfig(first, {})).database ?? "";
    this.#log = log;
  }

  /** Whether a server is searched and checked. Otherwise there is one host, and any server behind it is accepted. */
  get isSearched(): boolean {
    return this.#hosts.length > 1 || this.#target !== "any";
  }

  /** Human-readable name of the database, with the server in use once it is known. */
  get label(): string {
    const names = this.#hosts.map(({ name }) => name).join(", ");
    const isChosen = this.#last !== undefined && this.#hosts.length > 1;
    return `Postgres ${this.#database} at ${isChosen ? `${this.#last?.name} (of ${names})` : names}`;
  }

  /** Makes a connection, not yet open. */
  client(config: pg.ClientConfig): pg.Client {
    return new HostClient(config, this);
  }

  /** The class of connections for a pool. */
  get clientClass(): new () => pg.Client {
    const hosts = this;
    const made = class extends HostClient {
      constructor(config: pg.ClientConfig) {
        super(config, hosts);
      }
    };
    return made as unknown as new () => pg.Client;
  }

  /** Uses a connection without time limit, and closes it: for migrations, which may take long. */
  async withClient<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = this.client({ ...clientConfig(this.#hosts[0].url, {}), query_timeout: 0 });
    await client.connect();
    try {
      return await use(client);
    } finally {
      await client.end();
    }
  }

  /** Probes the server on a new connection; resolves on any response, including an error. Rejects when the connection fails or times out. */
  async probe(): Promise<void> {
    const { url } = this.isSearched ? await this.find() : this.#hosts[0];
    const client = new pg.Client({ ...clientConfig(url, {}), connectionTimeoutMillis: probeTimeout });
    client.on("error", () => undefined);
    try {
      await client.connect();
    } catch (error) {
      if (classifyPostgresError(error) === "disconnected") throw error;
    } finally {
      destroyConnection(client);
    }
  }

  /** The first host, in their order, whose server is accepted. Hosts are asked at the same time. */
  async find(): Promise<Host> {
    if (this.#current !== undefined) return this.#current;
    this.#searching ??= this.#search().finally(() => {
      this.#searching = undefined;
    });
    return await this.#searching;
  }

  /** The server in use has become read-only: closes all connections to it. */
  leave(): void {
    this.#current = undefined;
    this.#closeUnless((client) => this.isSearched && client.server === undefined);
  }

  /** @internal */
  opens(client: HostClient): void {
    this.#clients.add(client);
  }

  /** @internal The next connection searches for a server again if this one was in use. */
  lost(client: HostClient): void {
    this.#clients.delete(client);
    if (client.server !== undefined && client.server === this.#current) this.#current = undefined;
  }

  /** @internal */
  closed(client: HostClient): void {
    this.#clients.delete(client);
  }

  /** Why a session is not accepted. */
  async objection(client: pg.Client): Promise<string | undefined> {
    const objection = objections[this.#target];
    if (objection === undefined) return undefined;
    const { rows } = await client.query(objection.query);
    return rows[0]?.refused === false ? undefined : objection.text;
  }

  async #search(): Promise<Host> {
    const answers = this.#hosts.map(async (host) => ({ host, problem: await this.#problemOf(host) }));
    const problems: string[] = [];
    for (const answer of answers) {
      const { host, problem } = await answer;
      if (problem === undefined) {
        this.#use(host);
        return host;
      }
      problems.push(`${host.name}: ${problem}`);
    }
    throw new Error(`no host is usable: ${problems.join("; ")}`);
  }

  async #problemOf({ url }: Host): Promise<string | undefined> {
    const limits = { connectionTimeoutMillis: searchTimeout, query_timeout: searchTimeout };
    const client = new pg.Client({ ...clientConfig(url, {}), ...limits });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return await this.objection(client);
    } catch (error) {
      return `${(error as Error).message}${tlsHint(error)}`;
    } finally {
      destroyConnection(client);
    }
  }

  /** A client without a server waits for the search, and its socket is not open yet. */
  #closeUnless(isKept: (client: HostClient) => boolean): void {
    for (const client of this.#clients) if (!isKept(client)) destroyConnection(client);
  }

  #use(host: Host): void {
    const isOther = this.#last !== undefined && this.#last !== host;
    this.#current = host;
    this.#last = host;
    if (!isOther) return;
    this.#closeUnless(({ server }) => server === undefined || server === host);
    this.#log?.warn({ server: host.name }, "the connections go to another server of the database");
  }
}

/** A connection to the server that its hosts choose when it is opened. */
class HostClient extends pg.Client {
  readonly #hosts: Hosts;
  /** The server that this connection goes to. */
  server: Host | undefined;

  constructor(config: pg.ClientConfig, hosts: Hosts) {
    super(config);
    this.#hosts = hosts;
    this.on("error", () => hosts.lost(this));
    this.on("end", () => hosts.closed(this));
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | void {
    const connecting = this.#connect();
    if (callback === undefined) return connecting;
    connecting.then(() => callback(null), callback);
  }

  async #connect(): Promise<pg.Client> {
    this.#hosts.opens(this);
    try {
      if (this.#hosts.isSearched) {
        this.server = await this.#hosts.find();
        const { host, port } = this.server;
        // pg reads both when it opens the socket, and the host when it checks the server's certificate.
        Object.assign(this, { host, port });
      }
      await super.connect();
      const objection = await this.#hosts.objection(this);
      if (objection !== undefined) throw new Error(`${this.host}:${this.port}: ${objection}`);
      return this;
    } catch (error) {
      this.#hosts.lost(this);
      destroyConnection(this);
      throw error;
    }
  }
}

function toHost(url: string): Host {
  const { host, port } = new pg.Client(clientConfig(url, {}));
  return { name: `${host}:${port}`, host, port, url };
}
