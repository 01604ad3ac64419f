/** Documents that one process ingests at the same time: several of one user, and always one of another user. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { defineKnowledge } from "../../src/define/knowledge.ts";
import { lexicalEmbedder } from "../../src/knowledge/lexical-embedder.ts";
import { eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { Gate } from "../support/gate.ts";
import { openServer } from "../support/open-server.ts";
import { makePair, token } from "../support/tokens.ts";

eachDatabase("the ingestion of documents", (openDatabase) => {
  test("has up to three documents of a user at a time, and does not make other users wait for them", async () => {
    const lexical = lexicalEmbedder();
    const gate = new Gate();
    const begun: string[] = [];
    const manual = defineKnowledge({
      id: "manual",
      embedder: {
        ...lexical,
        async doEmbed(options: Parameters<typeof lexical.doEmbed>[0]) {
          begun.push(...options.values);
          await gate.pass();
          return await lexical.doEmbed(options);
        },
      },
    });
    const pair = makePair();
    await using server = await openServer(await openDatabase(), {
      knowledge: [manual],
      authorization: { verificationKeys: [pair.pem], userIsolation: true },
    });
    const scopes = ["knowledge:read", "knowledge:write"];
    const request = async (user: string, path: string, body?: URLSearchParams) => {
      const headers = { authorization: `Bearer ${token({ sub: user, scopes }, pair)}` };
      const response = await fetch(new URL(path, server.client.address), {
        headers,
        ...(body && { method: "POST", body }),
      });
      return (await response.json()) as { readonly data: readonly object[] };
    };
    const add = (user: string, name: string) =>
      request(user, "/knowledge/content", new URLSearchParams({ name, text_content: `${user} ${name}` }));
    for (let n = 0; n < 6; n++) await add("ada", `doc-${n}`);
    await eventually(() => expect(begun).toHaveLength(3));
    // A fourth one does not begin.
    await sleep(200);
    expect(begun).toHaveLength(3);
    await add("bob", "note");
    await eventually(() => expect(begun).toHaveLength(4));
    expect(begun.at(-1)).toContain("bob");
    gate.open();
    const completed = async (user: string) =>
      (await request(user, "/knowledge/content?status=completed&limit=20")).data.length;
    await eventually(async () => expect(await completed("ada")).toBe(6));
    await eventually(async () => expect(await completed("bob")).toBe(1));
    // Each document has one chunk, whose embedding is requested once.
    expect(new Set(begun).size).toBe(7);
    expect(begun).toHaveLength(7);
  });
});
