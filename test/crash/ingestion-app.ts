/**
 * A knowledge base whose embedding requests are noted in a file. `SLOW` is the time of a request in milliseconds; `MODEL` is the model's id. `VECTORS` is the address
 * of a vector store in the process of the test; `LANCEDB` is a folder with the package, and `LANCEDB_FILES` the folder of its files.
 */
import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defineKnowledge, definePlatform, lexicalEmbedder } from "troupe";
import { type LanceDb, lanceDbStore } from "../../src/knowledge/vectors/lancedb.ts";
import { remoteVectors } from "./vector-server.ts";

// A server does not outlive the test that started it.
process.on("disconnect", () => process.exit(1));

const { NOTES = "", SLOW = "0", MODEL = "model-1", TEST_SETTINGS = "{}" } = process.env;
const { VECTORS, LANCEDB, LANCEDB_FILES = "" } = process.env;

const lexical = lexicalEmbedder();

/** The service of a provider: a request is paid when it arrives, whether its answer is stored or not. */
const embedder: typeof lexical = {
  ...{ specificationVersion: "v4", provider: "test", modelId: MODEL, maxEmbeddingsPerCall: 10 },
  supportsParallelCalls: true,
  async doEmbed(request) {
    const note = { key: request.headers?.["Idempotency-Key"], model: MODEL, values: request.values };
    appendFileSync(NOTES, `${JSON.stringify(note)}\n`);
    await sleep(Number(SLOW));
    return await lexical.doEmbed(request);
  },
};

const loadLanceDb = async (folder: string): Promise<LanceDb> =>
  createRequire(join(folder, "package.json"))("@lancedb/lancedb") as LanceDb;

export default definePlatform({
  id: "knowledge",
  knowledge: [
    defineKnowledge({
      ...{ id: "docs", embedder, chunking: { size: 32, overlap: 0 } },
      ...(VECTORS && { vectors: remoteVectors(VECTORS) }),
      ...(LANCEDB && { vectors: lanceDbStore({ uri: LANCEDB_FILES }, () => loadLanceDb(LANCEDB)) }),
    }),
  ],
  settings: JSON.parse(TEST_SETTINGS),
});
