/**
 * Reads documents from URLs that callers give. The rules for addresses are those of push notifications, also for redirects and for robots.txt (RFC 9309).
 */
import type { IncomingMessage } from "node:http";
import { IngestionRejected, OriginUnavailable } from "../../knowledge/failures.ts";
import type { ReadDocument } from "../../knowledge/ingest.ts";
import { abortable } from "../../model/abortable.ts";
import type { Clock } from "../../model/runtime.ts";
import { AddressRejected, type AddressRules, pin } from "../outbound/addresses.ts";
import { exchange } from "../outbound/exchange.ts";
import type { Resolve } from "../outbound/resolve.ts";
import { isAllowedByRobots } from "./robots.ts";

/** How pages are read. */
export interface PageRules {
  readonly clock: Pick<Clock, "after">;
  readonly rules: AddressRules;
  /** Max bytes of a page. */
  readonly maxBytes: number;
  /** Milliseconds for everything: robots.txt, redirects and the page. Default 60 s. */
  readonly timeout?: number;
  readonly resolve?: Resolve;
}

/** The name in robots.txt. */
const robot = "Troupe";

const maxRedirects = 5;

/** Max characters of a redirect's address, as of the address that a caller gives. */
const maxAddress = 2_000;

/** Bytes of robots.txt that count (RFC 9309, section 2.5, requires at least 500 KiB). */
const maxRobotsBytes = 512 * 1_024;

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Statuses of servers that may answer later. */
const temporary: ReadonlySet<number> = new Set([408, 425, 429]);

/** Reads a page. @throws IngestionRejected, OriginUnavailable, or the signal's reason */
export async function readPage(url: string, options: PageRules, signal: AbortSignal): Promise<ReadDocument> {
  const { clock, timeout = 60_000 } = options;
  const late = new AbortController();
  const cancelTimer = clock.after(timeout, () => late.abort());
  try {
    return await new PageReader(options, AbortSignal.any([signal, late.signal])).read(url);
  } catch (error) {
    signal.throwIfAborted();
    if (late.signal.aborted) throw new OriginUnavailable(`The URL took longer than ${timeout / 1_000} s to answer.`);
    if (error instanceof IngestionRejected || error instanceof OriginUnavailable) throw error;
    if (error instanceof AddressRejected) throw new IngestionRejected(`The URL is not read: ${error.message}.`);
    throw new OriginUnavailable(
      `The URL cannot be reached (${(error as { code?: string }).code ?? "no reason given"}).`,
    );
  } finally {
    cancelTimer();
  }
}

/** The requests for one page. */
class PageReader {
  readonly #options: PageRules;
  readonly #signal: AbortSignal;
  /** robots.txt by origin; undefined for an origin without one. */
  readonly #robots = new Map<string, string | undefined>();

  constructor(options: PageRules, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  async read(first: string): Promise<ReadDocument> {
    const { url, status, answer } = await this.#follow(first, async (next) => {
      if (await this.#isAllowed(next)) return;
      throw new IngestionRejected("The URL is not read: the robots.txt of its server does not allow it.");
    });
    if (status === 200) {
      const bytes = await this.#body(answer, this.#options.maxBytes, () => {
        throw new IngestionRejected(`The document at the URL is larger than ${this.#options.maxBytes} bytes.`);
      });
      return { bytes, mediaType: answer.headers["content-type"] ?? null, fileName: nameOf(url) };
    }
    answer.destroy();
    if (status >= 500 || temporary.has(status)) throw new OriginUnavailable(`The URL answered ${status}.`);
    throw new IngestionRejected(`The URL answered ${status}.`);
  }

  /** Sends a request, and follows redirects. Every address is checked. */
  async #follow(
    first: string,
    check: (url: string) => Promise<void>,
  ): Promise<{ readonly url: string; readonly status: number; readonly answer: IncomingMessage }> {
    let url = first;
    for (let count = 0; count <= maxRedirects; count++) {
      const { rules, resolve } = this.#options;
      const pinned = await abortable(pin(url, rules, resolve), this.#signal);
      await check(url);
      const headers = { "user-agent": `${robot}/1.0`, accept: "text/html, */*;q=0.8", "accept-encoding": "identity" };
      const { status, answer } = await exchange(pinned, { method: "GET", headers }, this.#signal);
      const { location } = answer.headers;
      if (!redirects.has(status) || location === undefined) return { url, status, answer };
      answer.destroy();
      const next = URL.parse(location, url);
      if (!next || next.href.length > maxAddress)
        throw new IngestionRejected("The URL redirects to an address that is not valid or too long.");
      next.hash = "";
      url = next.href;
    }
    throw new IngestionRejected(`The URL redirects more than ${maxRedirects} times.`);
  }

  async #isAllowed(url: string): Promise<boolean> {
    const { origin } = new URL(url);
    const file = `${origin}/robots.txt`;
    if (!this.#robots.has(origin)) this.#robots.set(origin, await this.#readRobots(file));
    const text = this.#robots.get(origin);
    return text === undefined || isAllowedByRobots(text, url, robot);
  }

  /** A server without robots.txt allows everything; one that cannot answer allows nothing (RFC 9309, section 2.3.1). */
  async #readRobots(file: string): Promise<string | undefined> {
    const { status, answer } = await this.#follow(file, async () => undefined);
    if (status >= 200 && status < 300) {
      const bytes = await this.#body(answer, maxRobotsBytes, (some) => some);
      return bytes.toString("utf8");
    }
    answer.destroy();
    if (status >= 500 || temporary.has(status))
      throw new OriginUnavailable(`The robots.txt of the URL's server answered ${status}.`);
    return undefined;
  }

  /** Reads a body; `cut` decides about a longer one, and gets its first bytes. */
  async #body(answer: IncomingMessage, maxBytes: number, cut: (some: Buffer) => Buffer): Promise<Buffer> {
    const encoding = answer.headers["content-encoding"] ?? "identity";
    if (encoding !== "identity") {
      answer.destroy();
      throw new IngestionRejected(`The URL answers with the encoding "${encoding}", which the request excludes.`);
    }
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of answer as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length <= maxBytes) continue;
      answer.destroy();
      return cut(Buffer.concat(parts).subarray(0, maxBytes));
    }
    if (!answer.complete) throw Object.assign(new Error("aborted"), { code: "ECONNRESET" });
    return Buffer.concat(parts);
  }
}

function nameOf(url: string): string | null {
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last) || null;
  } catch {
    return last || null;
  }
}
