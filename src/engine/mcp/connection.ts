/** The connection to one MCP server with one set of credentials. It opens when it is needed, and again after a failure. */
import type { CallToolResult, Client, FetchLike, Tool, Transport } from "@modelcontextprotocol/client";
import type { McpServer } from "../../define/mcp-server.ts";
import { abortable } from "../../model/abortable.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Settings } from "../../model/settings.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { causeOf, isAnswer, wasSent } from "./failures.ts";
import { loadClient, loadStdio } from "./package.ts";

/** Milliseconds before the second attempt to connect. Doubled for each further attempt, up to the maximum. */
const firstDelay = 250;
const maxDelay = 30_000;
/** Milliseconds for which a list of tools is used if the server reports no change. */
const listingDuration = 300_000;

/** Dependencies of connections. */
export interface ConnectionParts {
  readonly runtime: Runtime;
  readonly settings: Pick<Settings, "maxOutputBytes">;
}

/** An open connection. It closes when it is retired and its last call has ended. */
interface Opened {
  readonly client: Client;
  uses: number;
  isRetired: boolean;
}

/** The tools of a server, as it lists them. */
export interface Listing {
  readonly tools: readonly Tool[];
}

/** The server cannot be reached. */
export class ServerUnavailable extends Error {
  override readonly name = "ServerUnavailable";

  constructor(server: string, cause: unknown) {
    super(`The MCP server "${server}" is not available: ${causeOf(cause)}`, { cause });
  }
}

export class McpConnection {
  readonly #parts: ConnectionParts;
  readonly #server: McpServer;
  readonly #credentials: Readonly<Record<string, string>>;
  readonly #closing = new AbortController();
  #opening: Promise<Opened> | undefined;
  #opened: Opened | undefined;
  readonly #retired = new Set<Opened>();
  #failures = 0;
  #nextAttempt = 0;
  #lastError: unknown;
  #listing: Listing | undefined;
  #listedAt = 0;
  #isStale = true;
  #refreshing: Promise<Listing> | undefined;
  #uses = 0;
  /** Monotonic time of the last use. */
  usedAt: number;

  constructor(parts: ConnectionParts, server: McpServer, credentials: Readonly<Record<string, string>>) {
    this.#parts = parts;
    this.#server = server;
    this.#credentials = credentials;
    this.usedAt = parts.runtime.clock.monotonic();
  }

  get isBusy(): boolean {
    return this.#uses > 0;
  }

  /**
   * Returns the server's tools: the last list while it is current, or while the server is unavailable.
   * @throws ServerUnavailable if no list was ever received
   */
  async tools(signal: AbortSignal): Promise<Listing> {
    const { clock } = this.#parts.runtime;
    const isCurrent = !this.#isStale && clock.monotonic() - this.#listedAt < listingDuration;
    if (this.#listing && isCurrent) return this.#listing;
    this.#refreshing ??= this.#list().finally(() => {
      this.#refreshing = undefined;
    });
    try {
      return await abortable(this.#refreshing, signal);
    } catch (error) {
      if (signal.aborted || !this.#listing) throw error;
      return this.#listing;
    }
  }

  async #list(): Promise<Listing> {
    const { clock } = this.#parts.runtime;
    const { connectTimeout: timeout } = this.#server;
    return await this.#use(async (client) => {
      // Set before the request: a change that the server reports meanwhile makes the answer stale.
      this.#isStale = false;
      try {
        const { tools } = await client.listTools(undefined, { timeout, cacheMode: "refresh" });
        this.#listing = { tools };
        this.#listedAt = clock.monotonic();
        return this.#listing;
      } catch (error) {
        this.#isStale = true;
        throw error;
      }
    }, this.#closing.signal);
  }

  /** Calls a tool. @throws ServerUnavailable, or the server's error */
  async call(name: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallToolResult> {
    // The signal ends the call: the package's own limit would be one minute.
    const options = { signal, timeout: 2 ** 31 - 1 };
    return await this.#use((client) => client.callTool({ name, arguments: { ...input } }, options), signal);
  }

  /** Works with an open connection. A request that did not reach the server is sent once more, over a new connection. */
  async #use<Result>(work: (client: Client) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    this.#uses++;
    try {
      for (let attempt = 1; ; attempt++) {
        const opened = await this.#open(signal);
        opened.uses++;
        try {
          return await work(opened.client);
        } catch (error) {
          if (signal.aborted) throw signal.reason;
          if (isAnswer(error)) throw error;
          this.#retire(opened);
          if (attempt > 1 || wasSent(error)) throw new ServerUnavailable(this.#server.name, error);
        } finally {
          opened.uses--;
          if (opened.isRetired) this.#closeUnused(opened);
        }
      }
    } finally {
      this.#uses--;
      this.usedAt = this.#parts.runtime.clock.monotonic();
    }
  }

  /** Returns the open connection, or opens one: again and again, with growing delays, for at most the server's `connectTimeout`. */
  async #open(signal: AbortSignal): Promise<Opened> {
    const { clock } = this.#parts.runtime;
    const deadline = clock.monotonic() + this.#server.connectTimeout;
    for (;;) {
      signal.throwIfAborted();
      if (this.#closing.signal.aborted) throw new ServerUnavailable(this.#server.name, "this process shuts down");
      if (this.#opened) return this.#opened;
      const now = clock.monotonic();
      if (!this.#opening && this.#nextAttempt > now) {
        if (this.#nextAttempt >= deadline) throw new ServerUnavailable(this.#server.name, this.#lastError);
        await clock.sleep(this.#nextAttempt - now, AbortSignal.any([signal, this.#closing.signal]));
        continue;
      }
      this.#opening ??= this.#connect().finally(() => {
        this.#opening = undefined;
      });
      try {
        return await abortable(this.#opening, signal);
      } catch (error) {
        if (signal.aborted || clock.monotonic() >= deadline) throw error;
      }
    }
  }

  async #connect(): Promise<Opened> {
    const { clock, log } = this.#parts.runtime;
    const { name, connectTimeout } = this.#server;
    const late = new AbortController();
    const cancel = clock.after(connectTimeout, () =>
      late.abort(new Error(`no answer after ${connectTimeout / 1000} s`)),
    );
    let client: Client | undefined;
    try {
      client = await abortable(this.#newClient(), late.signal);
      const transport = await this.#transport();
      const opened: Opened = { client, uses: 0, isRetired: false };
      client.onclose = () => this.#retire(opened);
      const options = { signal: late.signal, timeout: connectTimeout };
      await abortable(client.connect(transport, options), AbortSignal.any([late.signal, this.#closing.signal]));
      if (opened.isRetired) throw new Error("the server closed the connection");
      this.#watch(opened);
      if (this.#failures > 0) log.info({ mcpServer: name }, "An MCP server is available again.");
      this.#failures = 0;
      this.#isStale = true;
      this.#opened = opened;
      return opened;
    } catch (error) {
      void client?.close().catch(() => undefined);
      const delay = Math.min(firstDelay * 2 ** this.#failures, maxDelay);
      this.#failures++;
      this.#nextAttempt = clock.monotonic() + delay;
      this.#lastError = error;
      // One line for each doubling of the outage.
      log.warn(
        { mcpServer: name, reason: causeOf(error), attempts: this.#failures },
        "An MCP server is not available.",
      );
      throw new ServerUnavailable(name, error);
    } finally {
      cancel();
    }
  }

  async #newClient(): Promise<Client> {
    const { Client } = await loadClient();
    return new Client(
      { name: "troupe", version: "1" },
      {
        // A server of the newer revision needs the newer handshake; others get the older one.
        versionNegotiation: { mode: "auto", probe: { timeoutMs: this.#server.connectTimeout / 2 } },
        listChanged: {
          tools: {
            autoRefresh: false,
            debounceMs: 0,
            onChanged: () => {
              this.#isStale = true;
            },
          },
        },
      },
    );
  }

  async #transport(): Promise<Transport> {
    const { target } = this.#server;
    const { maxOutputBytes: maxBytes } = this.#parts.settings;
    if ("command" in target) {
      const { StdioClientTransport } = await loadStdio();
      const { command, args, cwd } = target;
      return new StdioClientTransport({
        command,
        args: [...args],
        env: { ...this.#credentials },
        stderr: "ignore",
        maxBufferSize: maxBytes,
        ...(cwd !== undefined && { cwd }),
      });
    }
    const { StreamableHTTPClientTransport } = await loadClient();
    return new StreamableHTTPClientTransport(new URL(target.url), {
      requestInit: { headers: { ...this.#credentials } },
      fetch: boundedFetch(maxBytes) as FetchLike,
    });
  }

  /** The newer revision reports changes on a stream of their own. If it ends, changes are missed: the next listing opens another connection. */
  #watch(opened: Opened): void {
    void opened.client.autoOpenedSubscription?.closed.then((by) => {
      if (by !== "local") this.#retire(opened);
    });
  }

  /** Takes a connection out of use. Its running calls end first. */
  #retire(opened: Opened): void {
    if (this.#opened === opened) {
      this.#opened = undefined;
      this.#isStale = true;
    }
    if (opened.isRetired) return;
    opened.isRetired = true;
    this.#retired.add(opened);
    this.#closeUnused(opened);
  }

  #closeUnused(opened: Opened): void {
    if (opened.uses > 0 || !this.#retired.delete(opened)) return;
    void opened.client.close().catch(() => undefined);
  }

  /** Closes the connection, and ends the process of the server. */
  async close(): Promise<void> {
    this.#closing.abort(new ServerUnavailable(this.#server.name, "this process shuts down"));
    const opening = await this.#opening?.catch(() => undefined);
    const all = new Set([...this.#retired, ...[this.#opened, opening].filter((one) => one !== undefined)]);
    this.#opened = undefined;
    await Promise.all([...all].map(({ client }) => client.close().catch(() => undefined)));
  }
}
