/**
 * Documents that agents search. The quality of searches in this project's documentation; the CPU and the loop delay of an ingestion of 10,000 chunks; the
 * latency of searches in 100,000 chunks, and the loop delay of the process meanwhile. The server's parts run in the process of the bench, on SQLite, on
 * Postgres without pgvector and, where its binaries can be downloaded, on Postgres with pgvector.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { textEmbedder } from "../../src/knowledge/embedder.ts";
import { type IngestParts, ingest } from "../../src/knowledge/ingest.ts";
import { lexicalEmbedder } from "../../src/knowledge/lexical-embedder.ts";
import { searchKnowledge } from "../../src/knowledge/search.ts";
import { termsOf } from "../../src/knowledge/terms.ts";
import { realRuntime } from "../../src/platform/runtime.ts";
import type { ClaimedJob } from "../../src/store/contract/jobs.ts";
import { type Content, ingestionJob, type SearchMode } from "../../src/store/contract/knowledge.ts";
import { type OpenedStore, openStore } from "../../src/store/open.ts";
import { startPgvector } from "../../test/support/pgvector.ts";
import { startPostgres } from "../../test/support/postgres-server.ts";
import type { QuestionOf } from "../parts/bench.ts";
import { documentationQuestions } from "../parts/documentation-questions.ts";
import { median, percentile } from "../parts/statistics.ts";
import { figure, printTable } from "../parts/table.ts";

const modes: readonly SearchMode[] = ["lexical", "vector", "hybrid"];
const many = { ingested: 10_000, searched: 100_000 } as const;
/** The ingested documents have 512, whose index exists before the chunks are stored. The index of these is built afterwards. */
const dimensions = 384;
const searches = 200;
/** Seconds after which the searches of one mode end. At least 20 searches are measured. */
const maxSeconds = 40;
const minSearches = 20;
/** Chunks that one transaction of the preparation stores. */
const perWrite = 2_000;

const docs = fileURLToPath(new URL("../../docs", import.meta.url));
const embedder = textEmbedder(lexicalEmbedder());
const { signal } = new AbortController();
const quiet = (): void => undefined;
const runtime = realRuntime({ debug: quiet, info: quiet, warn: console.error, error: console.error });

interface Place {
  readonly name: string;
  readonly stores: OpenedStore;
  end(): Promise<void>;
}

async function* places(engines: readonly string[]): AsyncGenerator<Place> {
  const open = (place: { database?: string; dataDir: string }): Promise<OpenedStore> =>
    openStore({ ...place, migrate: true, runtime, processId: "bench" });
  const close = async ({ signals, store }: OpenedStore): Promise<void> => {
    await signals.close();
    await store.close();
  };
  if (engines.includes("sqlite")) {
    const dataDir = mkdtempSync(join(tmpdir(), "troupe-bench-"));
    const stores = await open({ dataDir });
    const end = async (): Promise<void> => {
      await close(stores);
      rmSync(dataDir, { recursive: true, force: true });
    };
    yield { name: "SQLite", stores, end };
  }
  if (!engines.includes("postgres")) return;
  const options = { fsync: true, settings: { max_wal_size: "4GB", maintenance_work_mem: "512MB" } };
  for (const [name, server] of [
    ["Postgres with pgvector", await startPgvector(options)],
    ["Postgres without pgvector", await startPostgres(options)],
  ] as const) {
    if ("missing" in server) {
      console.log(`\n${server.missing}`);
      continue;
    }
    const stores = await open({ database: server.url, dataDir: "unused" });
    const end = async (): Promise<void> => {
      await close(stores);
      await server.dispose();
    };
    yield { name, stores, end };
  }
}

async function claim({ stores }: Place, content: Content): Promise<ClaimedJob> {
  const request = { kind: ingestionJob, owner: "bench", limit: 100, orphans: true, full: [] };
  const job = (await stores.jobs.claim(request)).find(({ id }) => id === String(content.key));
  if (!job) throw new Error("The document has no job.");
  return job;
}

async function add({ stores }: Place, knowledgeId: string, name: string, text: string): Promise<Content> {
  const origin = { kind: "file", fileName: name, mediaType: "text/markdown" } as const;
  const empty = { userId: null, description: null, metadata: null, type: null, size: null, options: {} };
  const bytes = Buffer.from(text);
  const content = await stores.knowledge.put({ ...empty, id: name, knowledgeId, name, origin, bytes });
  if (!content) throw new Error("The document is being ingested.");
  return content;
}

function partsOf({ stores }: Place): IngestParts {
  return {
    store: stores.knowledge,
    baseOf: () => ({ embedder, chunking: {} }),
    read: async (_content, bytes) => ({ bytes: bytes ?? Buffer.alloc(0), mediaType: "text/markdown", fileName: null }),
    parse: async (_content, { bytes }) => ({
      ...{ text: bytes.toString("utf8"), pages: [], form: "markdown", mediaType: "text/markdown" },
    }),
  };
}

/**
 * Runs work and measures the process: seconds, CPU, the delay of its event loop, and the CPU of the main thread between two calls of a timer. The delay includes
 * waits for the disk and for the cores; the CPU between two calls does not.
 */
async function measured<Result>(work: () => Promise<Result>) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await sleep(200);
  const turns: number[] = [];
  let last = process.threadCpuUsage();
  const timer = setInterval(() => {
    const used = process.threadCpuUsage();
    turns.push((used.user + used.system - last.user - last.system) / 1_000);
    last = used;
  }, 1);
  const [cpu, begun] = [process.cpuUsage(), performance.now()];
  delay.enable();
  const result = await work();
  delay.disable();
  clearInterval(timer);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - begun) / 1_000;
  // The monitor's own timer is a part of its values.
  const milliseconds = (nanoseconds: number): string => figure(Math.max(0, nanoseconds / 1e6 - 1));
  const cells = {
    ...{ "loop delay ms p99": milliseconds(delay.percentile(99)), "max delay": milliseconds(delay.max) },
    ...{ "CPU ms of a turn p99": figure(percentile(turns, 0.99)), "max CPU": figure(Math.max(...turns)) },
  };
  return { result, seconds, cpu: (user + system) / 1_000, cells };
}

/** Ingests the documentation, and searches the answers of the questions. */
async function quality(place: Place): Promise<readonly Record<string, string>[]> {
  for (const name of readdirSync(docs).filter((file) => file.endsWith(".md"))) {
    const content = await add(place, "docs", name, readFileSync(join(docs, name), "utf8"));
    await ingest(partsOf(place), await claim(place, content), signal);
  }
  const rows: Record<string, string>[] = [];
  for (const mode of modes) {
    let [recall, gain] = [0, 0];
    for (const { question, pages } of documentationQuestions) {
      const query = { knowledgeId: "docs", reader: null, text: question, mode, limit: 10 };
      const parts = { store: place.stores.knowledge, runtime };
      const { found } = await searchKnowledge(parts, { embedder, reranker: undefined }, query, signal);
      const ranks = found.flatMap(({ contentName }, rank) => (pages.includes(contentName ?? "") ? [rank] : []));
      if (ranks.some((rank) => rank < 5)) recall++;
      // The first chunk of a right page counts; the best possible place is the first.
      const [first] = ranks;
      if (first !== undefined) gain += 1 / Math.log2(first + 2);
    }
    const count = documentationQuestions.length;
    rows.push({
      ...{ database: place.name, search: mode, "recall@5": (recall / count).toFixed(2) },
      "nDCG@10": (gain / count).toFixed(2),
    });
  }
  return rows;
}

/** A vocabulary with the frequencies of a language: the word n is n times as rare as the first. */
const vocabulary = readdirSync(docs)
  .filter((file) => file.endsWith(".md"))
  .flatMap((file) => readFileSync(join(docs, file), "utf8").match(/[A-Za-z]{3,}/g) ?? []);

/** Words in a reproducible order. */
function words(seed: number, count: number): string {
  let state = (seed + 1) * 2_654_435_761;
  const drawn = Array.from({ length: count }, () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 1_013_904_223) >>> 0;
    return vocabulary[state % vocabulary.length];
  });
  return `${drawn.join(" ")}.`;
}

/** The delay that other work on the machine causes: blocks of 2 ms of CPU, with turns of the event loop between them. */
async function control(): Promise<Record<string, string>> {
  const { cells } = await measured(async () => {
    for (let block = 0; block < 1_000; block++) {
      for (const begun = performance.now(); performance.now() - begun < 2; );
      await nextTurn();
    }
  });
  return { database: "control: blocks of 2 ms", ...cells };
}

async function ingestion(place: Place): Promise<Record<string, string>> {
  // About 350 tokens of words for each chunk, below one heading each.
  const text = Array.from({ length: many.ingested }, (_, section) => `## ${section}\n\n${words(section, 240)}`).join(
    "\n\n",
  );
  const content = await add(place, "large", "large.md", text);
  const job = await claim(place, content);
  const { seconds, cpu, cells } = await measured(() => ingest(partsOf(place), job, signal));
  const stored = await place.stores.knowledge.find("large", null, "large.md");
  return {
    ...{
      database: place.name,
      chunks: String(stored?.chunks),
      MB: figure(text.length / 1e6),
      seconds: figure(seconds),
    },
    "CPU ms per chunk": figure(cpu / (stored?.chunks ?? 1)),
    ...cells,
  };
}

function randomVector(seed: number): Float32Array {
  let state = seed * 747_796_405 + 2_891_336_453;
  return Float32Array.from({ length: dimensions }, () => {
    state = (Math.imul(state ^ (state >>> 13), 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

/** Stores chunks with random vectors, without an embedder. */
async function fill(place: Place): Promise<void> {
  const { knowledge } = place.stores;
  const content = await add(place, "many", "many", "text");
  const job = await claim(place, content);
  for (let first = 0; first < many.searched; first += perWrite) {
    const chunks = Array.from({ length: perWrite }, (_, place_) => {
      const number = first + place_;
      const text = words(number, 60);
      const hash = createHash("sha256").update(`${number}`).digest("hex");
      const terms = termsOf(text);
      return { number, text, tokens: 60, hash, page: null, start: 0, end: text.length, headings: [], terms };
    });
    const isLast = first + perWrite >= many.searched;
    const end = isLast ? { hash: "", size: 4, type: "text/plain" } : undefined;
    await knowledge.addChunks(job, content.key, chunks, embedder.id, end);
    const waiting = await knowledge.pending(content.key, perWrite);
    const vectors = new Map(waiting.map(({ key, number }) => [key, randomVector(number)]));
    await knowledge.addVectors(job, content.key, embedder.id, vectors);
  }
  await knowledge.complete(job, content.key);
}

/** Prints a step, so that a run that is ended early shows how far it came. */
function progress({ name }: Place, text: string): void {
  console.log(`${name}: ${text}`);
}

async function latency(place: Place): Promise<readonly Record<string, string>[]> {
  const begun = performance.now();
  await fill(place);
  const filled = performance.now();
  progress(place, `${many.searched} chunks are stored after ${figure((filled - begun) / 1_000)} s`);
  const { knowledge } = place.stores;
  await knowledge.prepareVectors(dimensions, "many");
  if (!(await knowledge.buildIndex(dimensions, signal))) throw new Error("Another process builds the index.");
  progress(place, `its index is built after ${figure((performance.now() - filled) / 1_000)} s more`);
  const rows: Record<string, string>[] = [];
  for (const mode of modes) {
    const one = async (seed: number): Promise<void> => {
      const terms = mode === "vector" ? [] : termsOf(words(seed, 6));
      const vector = mode === "lexical" ? undefined : randomVector(many.searched + seed);
      const asked = { knowledgeId: "many", reader: null, filters: [], embedder: embedder.id, limit: 10 };
      await place.stores.knowledge.search({ ...asked, terms, vector });
    };
    try {
      for (let seed = 0; seed < 5; seed++) await one(seed);
      const { result, cpu, cells } = await measured(async () => {
        const times: number[] = [];
        const first = performance.now();
        for (let seed = 5; seed < searches + 5; seed++) {
          const at = performance.now();
          if (times.length >= minSearches && at - first > maxSeconds * 1_000) break;
          await one(seed);
          times.push(performance.now() - at);
        }
        return times;
      });
      rows.push({
        ...{
          database: place.name,
          search: mode,
          searches: String(result.length),
          "ms p50": figure(median(result)),
          "ms p99": figure(percentile(result, 0.99)),
        },
        "CPU ms of the process": figure(cpu / result.length),
        ...cells,
      });
      progress(place, `${mode}: p50 ${figure(median(result))} ms, p99 ${figure(percentile(result, 0.99))} ms`);
    } catch (error) {
      rows.push({ database: place.name, search: mode, "ms p50": (error as Error).message.split(":", 1)[0] ?? "" });
    }
  }
  return rows;
}

/** Whether `BENCH_PARTS` names a part, or is not set: on a busy machine, all parts take longer than most time limits. */
function isAsked(part: "quality" | "ingestion" | "searches"): boolean {
  return process.env.BENCH_PARTS?.split(",").includes(part) ?? true;
}

export const knowledge: QuestionOf = async ({ options }) => {
  for await (const place of places(options.engines)) {
    try {
      if (isAsked("quality"))
        printTable(`Quality of ${documentationQuestions.length} searches in the documentation`, await quality(place));
      if (isAsked("ingestion")) printTable("Ingestion of one document", [await ingestion(place), await control()]);
      if (isAsked("searches"))
        printTable(`Searches in ${many.searched} chunks, one after another`, await latency(place));
    } finally {
      await place.end();
    }
  }
};
