/** Documents that code provides: a start ingests new and changed ones only. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defineKnowledge } from "../../src/define/knowledge.ts";
import type { KnowledgeDocument } from "../../src/define/knowledge-documents.ts";
import { folder } from "../../src/knowledge/folder.ts";
import { lexicalEmbedder } from "../../src/knowledge/lexical-embedder.ts";
import { createDataDir, eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { openServer } from "../support/open-server.ts";

eachDatabase("documents of code", (openDatabase) => {
  test("are ingested by the first start, and by later starts only if they changed", async () => {
    const database = await openDatabase();
    const embedded: string[] = [];
    let documents: readonly KnowledgeDocument[] = [
      { name: "cats.md", title: "Cats", content: "Cats sleep." },
      { name: "dogs.md", title: "Dogs", content: "Dogs bark.", metadata: { url: "https://example.com/dogs" } },
    ];
    const own = lexicalEmbedder();
    const manual = defineKnowledge({
      id: "manual",
      documents: async () => documents,
      embedder: {
        ...own,
        doEmbed: (call: Parameters<typeof own.doEmbed>[0]) => {
          embedded.push(...call.values);
          return own.doEmbed(call);
        },
      },
    });
    const start = async (total: number): Promise<readonly Record<string, unknown>[]> => {
      const log: string[] = [];
      const note = (_: object, text: string): void => void log.push(text);
      await using server = await openServer(
        database,
        { knowledge: [manual] },
        { debug: note, info: note, warn: note, error: note },
      );
      return await eventually(async () => {
        expect(log).toContain("The documents of a knowledge base are read.");
        const { body } = await server.client.get("/knowledge/content?sort_by=name&sort_order=asc");
        expect(body.data.map(({ status }: { status: string }) => status)).toEqual(Array(total).fill("completed"));
        return body.data;
      });
    };
    expect(await start(2)).toMatchObject([{ name: "Cats" }, { name: "Dogs", metadata: { url: expect.any(String) } }]);
    expect(embedded.toSorted()).toEqual(["Cats sleep.", "Dogs bark."]);
    documents = [
      { name: "cats.md", title: "Cats", content: "Cats sleep all day." },
      ...documents.slice(1),
      { name: "owls.md", content: "Owls fly." },
    ];
    expect(await start(3)).toMatchObject([{ name: "Cats" }, { name: "Dogs" }, { name: "owls.md" }]);
    expect(embedded.slice(2).toSorted()).toEqual(["Cats sleep all day.", "Owls fly."]);
  });
});

test("a folder provides its files with their first headings, without hidden and other files", async () => {
  const { path, remove } = await createDataDir();
  await mkdir(join(path, "guides/.hidden"), { recursive: true });
  await mkdir(join(path, "node_modules"), { recursive: true });
  await Promise.all(
    ["start.md", "guides/more.MD", "guides/.hidden/no.md", "node_modules/no.md", "image.png", "notes.txt"].map((name) =>
      writeFile(join(path, name), `# Title of ${name}\n\nText.`),
    ),
  );
  const found: KnowledgeDocument[] = [];
  const documents = folder(path, { metadata: (name) => ({ url: `https://example.com/${name}` }) });
  for await (const one of await documents(new AbortController().signal)) found.push(one);
  expect(found.map(({ name, title, metadata }) => [name, title, metadata?.url]).toSorted()).toEqual([
    ["guides/more.MD", "Title of guides/more.MD", "https://example.com/guides/more.MD"],
    ["notes.txt", undefined, "https://example.com/notes.txt"],
    ["start.md", "Title of start.md", "https://example.com/start.md"],
  ]);
  await remove();
});
