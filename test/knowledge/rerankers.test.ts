/** Rerankers: how they order what a search finds, what happens when they fail, and what their requests and the embeddings of queries count. */
import type { EmbeddingModelV4, RerankingModelV4 } from "@ai-sdk/provider";
import { describe, expect, onTestFinished, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { defineKnowledge, type Reranker } from "../../src/define/knowledge.ts";
import { definePlatform } from "../../src/define/platform.ts";
import { lexicalEmbedder } from "../../src/knowledge/lexical-embedder.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import type { Client } from "../conformance/support/client.ts";
import { startServer } from "../conformance/support/server.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";

/** An embedder that reports tokens, as providers do. */
function countedEmbedder(): EmbeddingModelV4 {
  const model = lexicalEmbedder();
  return {
    ...model,
    doEmbed: async (options) => ({ ...(await model.doEmbed(options)), usage: { tokens: 7 * options.values.length } }),
  };
}

const texts = ["The code is red, says Ada.", "The code is green, says Bob.", "The code is blue, says Cleo."];

/** Starts a server whose only base has three texts. */
async function serve(database: TestDatabase, reranker?: Reranker): Promise<Client> {
  const codes = defineKnowledge({ id: "codes", embedder: countedEmbedder(), ...(reranker && { reranker }) });
  const model = scriptedModel(({ system }) => `${system.match(/The code is \w+/)?.[0] ?? "nothing"} [1].`);
  const agent = defineAgent({ id: "support", model, knowledge: { bases: [codes], mode: "always" } });
  const platform = definePlatform({ id: "test", agents: [agent] });
  const { server, client } = await startServer(database, platform);
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  for (const text of texts) {
    const { json } = await client.post("/knowledge/content", { text_content: text });
    await eventually(async () =>
      expect((await client.get(`/knowledge/content/${json.id}/status`)).json.status).toBe("completed"),
    );
  }
  return client;
}

interface FoundText {
  readonly content: string;
  readonly reranking_score: number | null;
}

async function search(client: Client, fields: object = {}): Promise<readonly FoundText[]> {
  const { json } = await client.send("/knowledge/search", {
    ...{ method: "POST", headers: { "content-type": "application/json" } },
    body: JSON.stringify({ query: "What is the code?", ...fields }),
  });
  return json.data;
}

/** A reranking model by script. */
function reranking(rank: (texts: readonly string[]) => readonly (readonly [number, number])[]): {
  readonly model: RerankingModelV4;
  readonly asked: { readonly query: string; readonly texts: readonly string[] }[];
} {
  const asked: { readonly query: string; readonly texts: readonly string[] }[] = [];
  const model: RerankingModelV4 = {
    ...({ specificationVersion: "v4", provider: "scripted", modelId: "rank" } as const),
    async doRerank({ query, documents }) {
      const values = documents.values.map(String);
      asked.push({ query, texts: values });
      return { ranking: rank(values).map(([index, relevanceScore]) => ({ index, relevanceScore })) };
    },
  };
  return { model, asked };
}

const placesOf = (values: readonly string[], ...words: readonly string[]): readonly number[] =>
  words.map((word) => values.findIndex((text) => text.includes(word)));

eachDatabase("rerankers", (openDatabase) => {
  test("a reranking model orders the results of a search and of a run; texts that it leaves out come last", async () => {
    const { model, asked } = reranking((values) => {
      const [green = 0, blue = 0] = placesOf(values, "green", "blue");
      return [
        [green, 1.5],
        [blue, 0.4],
      ];
    });
    const client = await serve(await openDatabase(), model);
    const found = await search(client, { max_results: 3 });
    expect(found.map(({ content, reranking_score }) => [content, reranking_score])).toEqual([
      [texts[1], 1],
      [texts[2], 0.4],
      [texts[0], null],
    ]);
    expect(asked).toEqual([{ query: "What is the code?", texts: expect.arrayContaining(texts) }]);
    expect((await search(client, { max_results: 1 })).map(({ content }) => content)).toEqual([texts[1]]);
    expect((await client.get("/knowledge")).json).toMatchObject([{ id: "codes", reranker: "scripted:rank" }]);
    const { json: run } = await client.post("/agents/support/runs", { message: "What is the code?", stream: "false" });
    expect(run).toMatchObject({ content: "The code is green [1].", citations: { documents: [{ score: 1 }] } });
  });

  test("a language model grades the texts; its requests and the embeddings of queries count to the run and to the day", async () => {
    const model = scriptedModel(
      ({ message }) => {
        const lines = message.split("\n").filter((line) => line.includes('"passage"'));
        const grades = lines.map((line) => (line.includes("blue") ? 9 : 2));
        return { text: JSON.stringify({ grades }), usage: { input: 100, output: 10 } };
      },
      { modelId: "grader" },
    );
    const client = await serve(await openDatabase(), { languageModel: model });
    const { json: run } = await client.post("/agents/support/runs", { message: "What is the code?", stream: "false" });
    expect(run.content).toBe("The code is blue [1].");
    expect(run.metrics.details).toMatchObject({
      embedding_model: [{ input_tokens: 7, total_tokens: 7 }],
      reranker_model: [{ id: "grader", input_tokens: 100, output_tokens: 10 }],
    });
    const log = (await client.get(`/agents/support/runs/${run.run_id}/events`)).text;
    const purposes = [...log.matchAll(/"event":"ModelRequestCompleted"[^\n]*?"purpose":"(\w+)"/g)].map(
      ([, name]) => name,
    );
    expect(purposes.toSorted()).toEqual(["embedding_model", "reranker_model"]);
    const tokensOfDay = async (): Promise<number> => {
      await client.send("/metrics/refresh", { method: "POST" });
      const [day] = (await client.get("/metrics")).json.metrics;
      expect(day?.agent_runs_count).toBe(1);
      return day.token_metrics.total_tokens;
    };
    const before = await eventually(tokensOfDay);
    expect(before).toBe(run.metrics.total_tokens);
    expect(await search(client)).toMatchObject([{ content: texts[2], reranking_score: 0.9 }, {}, {}]);
    expect(await tokensOfDay()).toBe(before + 117);
  });

  test.each([
    [
      "an error",
      reranking(() => {
        throw new Error("The provider is down.");
      }).model,
    ],
    ["a text that it did not receive", reranking(() => [[99, 1]]).model],
    ["a score that is no number", reranking(() => [[0, Number.NaN]]).model],
    ["grades for other texts", { languageModel: scriptedModel(() => '{"grades":[1]}') }],
    ["an answer without grades", { languageModel: scriptedModel(() => "I like the first one.") }],
  ] as const)("a search keeps its order after %s", async (_, reranker) => {
    const client = await serve(await openDatabase(), reranker);
    const found = await search(client);
    expect(found).toHaveLength(3);
    expect(found.map(({ reranking_score }) => reranking_score)).toEqual([null, null, null]);
  });

  test("an agent shows its knowledge in the form of the interface", async () => {
    const client = await serve(await openDatabase());
    const { json } = await client.get("/agents/support");
    expect(json.knowledge).toEqual({ db_id: json.db_id, knowledge_ids: ["codes"], add_knowledge_to_context: true });
  });
});

describe("the definition of a reranker", () => {
  test.each(["cohere", 3, {}, { languageModel: "gpt" }, { doRerank: () => undefined }])(
    "%j is rejected with the fix",
    (reranker) => {
      expect(() =>
        defineKnowledge({ id: "codes", embedder: lexicalEmbedder(), reranker: reranker as Reranker }),
      ).toThrow(/Knowledge "codes": reranker must be a reranking model, its name such as "cohere:rerank-v3.5"/);
    },
  );
});
