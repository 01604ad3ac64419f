/** Adds the documents that code provides when a server starts: new and changed ones are ingested, the others stay as they are. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { KnowledgeDocument } from "../../define/knowledge-documents.ts";
import { isUnavailable, TroupeError } from "../../errors.ts";
import type { KnowledgeBase } from "../../knowledge/bases.ts";
import { system } from "../../model/principal.ts";
import type { Runtime } from "../../model/runtime.ts";
import { documentId, type KnowledgeCalls, type NewDocument } from "./calls.ts";

/** Adds documents in the background. */
export interface DefinedDocuments {
  start(): void;
  close(): Promise<void>;
}

const retryInterval = 2_000;

/** Makes the documents of a platform's knowledge bases. */
export function definedDocuments({
  knowledge,
  runtime,
}: {
  readonly knowledge: KnowledgeCalls;
  readonly runtime: Pick<Runtime, "clock" | "log">;
}): DefinedDocuments {
  const ending = new AbortController();
  const { signal } = ending;
  let work: Promise<unknown> = Promise.resolve();

  async function addAll(base: KnowledgeBase): Promise<void> {
    const { documents } = base.definition;
    if (!documents) return;
    const added = { knowledge: base.id, changed: 0, unchanged: 0 };
    try {
      for await (const one of await documents(signal)) {
        signal.throwIfAborted();
        if (await whileUnavailable(() => addChanged(base, toDocument(one)))) added.changed++;
        else added.unchanged++;
      }
      runtime.log.info(added, "The documents of a knowledge base are read.");
    } catch (error) {
      if (signal.aborted) return;
      runtime.log.error({ error, ...added }, "Cannot read all documents of a knowledge base.");
    }
  }

  /** Returns whether the document was added. */
  async function addChanged(base: KnowledgeBase, document: NewDocument & { readonly bytes: Buffer }): Promise<boolean> {
    const known = await knowledge.stored(base, documentId(base.id, null, document));
    const hash = createHash("sha256").update(document.bytes).digest("hex");
    const isSame =
      known?.status === "completed" &&
      known.hash === hash &&
      known.embedder === base.embedder.id &&
      known.name === document.name &&
      isDeepStrictEqual(known.metadata, document.metadata);
    if (isSame) return false;
    try {
      await knowledge.add(system, base, document);
      return true;
    } catch (error) {
      // Another process, or an earlier one, ingests it.
      if (error instanceof TroupeError && error.code === "conflict") return false;
      throw error;
    }
  }

  async function whileUnavailable<Result>(call: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        await runtime.clock.sleep(retryInterval, signal);
        signal.throwIfAborted();
      }
    }
  }

  return {
    start() {
      work = Promise.all([...knowledge.bases.values()].map(addAll));
    },
    async close() {
      ending.abort();
      await work;
    },
  };
}

function toDocument(one: KnowledgeDocument): NewDocument & { readonly bytes: Buffer } {
  const { name, content, mediaType = null, title = name, description = null, metadata = null } = one;
  const bytes = typeof content === "string" ? Buffer.from(content) : Buffer.from(content);
  return {
    ...{ name: title, description, metadata, type: mediaType, size: bytes.length },
    ...{ origin: { kind: "file", fileName: name, mediaType }, options: {}, bytes },
  };
}
