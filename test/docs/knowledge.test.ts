/** The guide to knowledge, and the demo's own documentation as knowledge. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { workplace } from "../cli/support/troupe.ts";
import { eventually } from "../support/eventually.ts";
import { blocks, page, project } from "./support/pages.ts";

// Every test starts a server, which takes long on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const guide = blocks(page("docs/knowledge.md"));

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped data
const jsonOf = async (response: Promise<Response>): Promise<any> => await (await response).json();

test("the app and the commands of the guide add a document, and the agent cites it", async () => {
  const app = guide.find(({ code }) => code.includes("definePlatform"))?.code ?? "";
  expect(app).toContain('model: "openai:gpt-5.2"');
  const model = `model: scriptedModel(({ message, results: [found] }) => found
    ? \`\${found.text.includes("every 30 days") ? "Every 30 days [1]." : "Unknown."}\`
    : { toolCalls: [{ name: "search_knowledge_base", input: { query: message } }] })`;
  const code = `import { scriptedModel } from "troupe/testing";\n${app.replace('model: "openai:gpt-5.2"', model)}`;
  await using place = await workplace({ "app.ts": code });
  const { address } = await place.serve("start app.ts --port 0");
  const commands = (guide.find(({ language }) => language === "sh")?.code ?? "").replaceAll(
    "http://127.0.0.1:7777",
    address,
  );
  const lines = commands.trim().split("\n");
  const run = async (script: string): Promise<string> =>
    (await promisify(execFile)("sh", ["-c", script], { cwd: place.folder })).stdout;
  const id = (await run(`${lines.slice(0, 2).join("\n")}\necho $ID`)).trim();
  await eventually(async () => expect(await run(`ID=${id}\n${lines[2]}`)).toContain('"status":"completed"'));
  const stream = await run(lines[3] ?? "");
  expect(stream).toMatch(/event: RunCompleted\ndata: .*"content":"Every 30 days \[1\]\."/);
  const [, citations = "{}"] = /"citations":(\{"documents":\[.*?\]\})/.exec(stream) ?? [];
  const shown = JSON.parse(guide.find(({ language }) => language === "json")?.code ?? "{}").citations.documents[0];
  const [cited] = JSON.parse(citations).documents;
  expect({ ...cited, content_id: "", score: 0 }).toEqual({ ...shown, content_id: "", score: 0 });
  expect(cited.content_id).toBe(id);
});

test("the demo answers how to resume a run, and its citation opens the page that explains it", async () => {
  await using place = await workplace();
  const { address } = await place.serve(`start ${join(project, "examples/demo/app.ts")} --port 0`);
  await eventually(async () => {
    const { data, meta } = await jsonOf(fetch(`${address}/knowledge/content?limit=100`));
    expect(meta.total_count).toBeGreaterThan(20);
    expect(data.filter(({ status }: { status: string }) => status !== "completed")).toEqual([]);
  });
  const query = JSON.stringify({ query: "a server for AI agents, teams of agents and workflows, in TypeScript" });
  const search = { method: "POST", headers: { "content-type": "application/json" }, body: query };
  const { data: found } = await jsonOf(fetch(`${address}/knowledge/search`, search));
  expect(found[0].name).toBe("Troupe");
  const body = new URLSearchParams({ message: "How do I resume a run?", stream: "false" });
  const run = await jsonOf(fetch(`${address}/agents/librarian/runs`, { method: "POST", body }));
  const [cited] = run.citations.documents;
  expect(run.content).toContain(`[${cited.source}]`);
  expect(cited).toMatchObject({ document_title: "The run log, for client authors", knowledge_id: "documentation" });
  expect(cited.headings.at(-1)).toBe("Resuming");
  const path = `${address}/knowledge/content/${cited.content_id}`;
  expect(await jsonOf(fetch(path))).toMatchObject({ name: "The run log, for client authors" });
  const [chunk] = await jsonOf(fetch(`${path}/chunks?from=${cited.chunk}&limit=1`));
  expect(chunk).toMatchObject({ number: cited.chunk, start: cited.start, end: cited.end });
  expect(chunk.content).toContain("To resume a run, send its id and the index of the last event that you received.");
});
