/** A vector store in the process of a test, which outlives the servers that use it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { VectorPoint, VectorStore } from "../../src/define/vector-store.ts";
import { type MemoryVectors, memoryVectors } from "../knowledge/support/memory-vectors.ts";

type Call = Exclude<keyof VectorStore, "id">;
type SentPoint = Omit<VectorPoint, "vector"> & { readonly vector: readonly number[] };

/** A server of a vector store. */
export interface VectorServer extends AsyncDisposable {
  readonly url: string;
  readonly vectors: MemoryVectors;
  /** Stores the vectors of later calls, and answers none of these calls until `answer`. */
  hold(): void;
  /** Calls without an answer. */
  readonly held: number;
  answer(): void;
}

/** Starts a server. */
export async function startVectorServer(): Promise<VectorServer> {
  const vectors = memoryVectors("remote");
  let isHolding = false;
  let held = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = request.url?.slice(1) as Call;
    const given = (await json(request)) as readonly unknown[];
    const result = await (vectors[call] as (...values: unknown[]) => Promise<unknown>)(...received(call, given));
    if (isHolding && call === "upsert") {
      held++;
      return;
    }
    const sent = result instanceof Map ? [...result].map(([id, vector]) => [id, [...vector]]) : (result ?? null);
    response.end(JSON.stringify(sent));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(503).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    vectors,
    hold() {
      isHolding = true;
    },
    get held() {
      return held;
    },
    answer() {
      isHolding = false;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The arguments of a call as they were before JSON. */
function received(call: Call, given: readonly unknown[]): readonly unknown[] {
  const [first, ...others] = given;
  if (call === "upsert")
    return [(first as readonly SentPoint[]).map((point) => ({ ...point, vector: Float32Array.from(point.vector) }))];
  if (call !== "search") return given;
  const search = first as { readonly vector: readonly number[] };
  return [{ ...search, vector: Float32Array.from(search.vector) }, ...others];
}

/** The store of a server. */
export function remoteVectors(url: string): VectorStore {
  async function call<Result>(name: Call, signal: AbortSignal, ...values: readonly unknown[]): Promise<Result> {
    const body = JSON.stringify(values);
    const response = await fetch(`${url}/${name}`, { method: "POST", body, signal });
    if (!response.ok) throw new Error(`The vector store answered ${response.status}.`);
    return (await response.json()) as Result;
  }
  return {
    id: "remote",
    upsert: (points, signal) =>
      call(
        "upsert",
        signal,
        points.map((point) => ({ ...point, vector: [...point.vector] })),
      ),
    async read(selection, signal) {
      const found = await call<readonly [string, readonly number[]][]>("read", signal, selection);
      return new Map(found.map(([id, vector]) => [id, Float32Array.from(vector)]));
    },
    setMetadata: (document, metadata, signal) => call("setMetadata", signal, document, metadata),
    delete: (document, ids, signal) => call("delete", signal, document, ids),
    search: (search, signal) => call("search", signal, { ...search, vector: [...search.vector] }),
  };
}
