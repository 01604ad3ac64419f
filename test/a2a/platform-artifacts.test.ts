/** Files and structured answers of runs are artifacts on the platform's own A2A endpoints. */
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineAgent, definePlatform, defineWorkflow, step, stepOutput } from "../../src/index.ts";
import { createServer } from "../../src/platform/server.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { framesOf, postJson, request, results } from "../conformance/support/a2a.ts";
import { Client } from "../conformance/support/client.ts";
import { databaseOptions } from "../conformance/support/server.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";

const media = [{ kind: "file", mediaType: "text/csv", filename: "a.csv", data: "YSxi" }] as const;
const draw = defineWorkflow({
  id: "draw",
  steps: [step({ name: "draw", run: () => stepOutput({ content: "Here it is.", media }) })],
});
const typed = defineAgent({
  id: "typed",
  model: scriptedModel(() => '{"city":"Paris"}'),
  output: z.object({ city: z.string() }),
});

async function serve(database: TestDatabase): Promise<Client> {
  const platform = definePlatform({ id: "made", agents: [typed], workflows: [draw] });
  const place = { ...databaseOptions(database), port: 0, logLevel: "silent", environment: {} };
  const server = await createServer(platform, place);
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  return new Client(await server.listen());
}

eachDatabase("the platform's A2A endpoints", (openDatabase) => {
  test("return files and structured answers as artifacts, in streams, answers and resumed streams", async () => {
    const client = await serve(await openDatabase());
    const file = { bytes: "YSxi", mimeType: "text/csv", name: "a.csv" };
    const files = [{ artifactId: "file-1", name: "a.csv", parts: [{ kind: "file", file }] }];
    const streamed = await framesOf(client, "/a2a/workflows/draw/v1/message:stream", request("a picture"));
    const last = streamed.at(-1)?.data.result;
    expect([last.history[0].parts, last.artifacts]).toEqual([[{ kind: "text", text: "Here it is." }], files]);
    const sent = await postJson(client, "/a2a/workflows/draw/v1/message:send", request("a picture"));
    expect(sent.json.result.artifacts).toEqual(files);
    // A resumed stream contains the artifacts too.
    const headers = { "last-event-id": String(streamed.at(-2)?.id) };
    const again = request("x", { taskId: last.id });
    const rest = await framesOf(client, "/a2a/workflows/draw/v1/message:stream", again, headers);
    expect(rest.map(({ raw }) => raw)).toEqual([streamed.at(-1)?.raw]);

    const path = "/a2a/agents/typed/v1/message:stream";
    const data = { kind: "data", data: { city: "Paris" } };
    const all = results(await framesOf(client, path, request("where?")));
    expect(all.find(({ kind }) => kind === "message").parts).toEqual([data]);
    expect(all.at(-1).artifacts).toEqual([{ artifactId: "answer", name: "answer", parts: [data] }]);
    const texts = { configuration: { acceptedOutputModes: ["text/plain"] } };
    const asText = results(await framesOf(client, path, request("where?", {}, texts)));
    const part = { kind: "text", text: '{"city":"Paris"}' };
    expect([asText.find(({ kind }) => kind === "message").parts, asText.at(-1).artifacts[0].parts]).toEqual([
      [part],
      [part],
    ]);
  });
});
