/**
 * Takes a picture of every screen of the console: light, dark, and on a phone.
 * Usage: npm run screenshots -- [folder] [path ...]     default: all paths below, into the folder screenshots
 */
import "./support/built.ts";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Browser } from "playwright-core";
import demo from "../../examples/demo/app.ts";
import { defineKnowledge } from "../../src/define/knowledge.ts";
import { lexicalEmbedder } from "../../src/knowledge/lexical-embedder.ts";
import { createServer } from "../../src/platform/server.ts";
import { launchBrowser } from "../support/browser.ts";

const [folder = "screenshots", ...chosen] = process.argv.slice(2);
const everyPath = [
  "/",
  "/chat",
  "/chat/team/travel-desk?session=rome",
  "/runs",
  "/runs/team/travel-desk/RUN?session=rome",
  "/runs/workflow/day-trip/RUN?session=lisbon&tab=graph",
  "/workflows/day-trip",
  "/sessions",
  "/sessions/rome",
  "/knowledge",
  "/knowledge/manual",
  "/knowledge/manual?dialog=add",
  "/knowledge/manual?tab=search&q=How+do+I+resume+a+run",
  "/knowledge/manual/DOCUMENT?chunk=1",
  "/memories",
  "/memories?dialog=create",
  "/learnings",
  "/approvals",
  "/approvals?tab=approvals&status=all",
  "/schedules",
  "/schedules?create=true",
  "/components",
  "/components/agent/weather",
  "/components/agent/weather?edit=3",
  "/experiments?component=weather",
  "/experiments/new?kind=agent&component=weather&a=code&b=2",
  "/experiments/EXPERIMENT",
  "/datasets",
  "/datasets/DATASET",
  "/evals",
  "/evals/new?kind=agent&component=weather",
  "/evals/new?kind=agent&component=weather&type=reliability",
  "/evals/EVAL",
  "/traces",
  "/traces/TRACE",
  "/usage",
  "/webhooks",
  "/access",
  "/access?tab=connections",
];
const paths = chosen.length > 0 ? chosen : everyPath;
const desktop = { width: 1280, height: 860 };
const looks = {
  light: { colorScheme: "light", viewport: desktop },
  dark: { colorScheme: "dark", viewport: desktop },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 } },
} as const;

mkdirSync(folder, { recursive: true });
const manual = defineKnowledge({
  ...{ id: "manual", name: "Manual", description: "How to start, follow and resume runs." },
  embedder: lexicalEmbedder(),
});
const platform = { ...demo, knowledge: [...demo.knowledge, manual] };
const server = await createServer(platform, { dataDir: ":memory:", port: 0, logLevel: "silent" });
const url = await server.listen();
const browser = await launchBrowser();
try {
  const runs = await addRuns(url);
  for (const path of paths) await takePictures(browser, path, runs);
} finally {
  await browser.close();
  await server.close({ shutdownTimeout: 0 });
}

/** Starts the runs that the pictures show. Returns their ids by component: `RUN` in a path stands for the id, `TRACE` for the team's trace, `DATASET` for a dataset. */
async function addRuns(address: string): Promise<ReadonlyMap<string, string>> {
  const starts = [
    ["agents/weather", "What is the weather in Paris?", "paris"],
    ["agents/calculator", "How much is 17 * 23?", "sums"],
    ["teams/travel-desk", "Plan a day in Rome", "rome"],
    ["workflows/day-trip", "Lisbon", "lisbon"],
  ] as const;
  // The name has no address, so that nothing is sent: the list shows deliveries that wait for their next attempt.
  const webhooks = JSON.stringify([{ url: "https://hooks.invalid/runs", secret: `whsec_${"A".repeat(32)}` }]);
  const ids = new Map<string, string>();
  for (const [component, message, session] of starts) {
    const body = new URLSearchParams({ message, session_id: session, user_id: "alice", webhooks });
    const response = await fetch(`${address}/${component}/runs`, { method: "POST", body });
    if (!response.ok) throw new Error(`${component} answered ${response.status}: ${await response.text()}`);
    ids.set(component.replace("s/", "/"), response.headers.get("x-run-id") ?? "");
    await response.text();
  }
  const headers = { "content-type": "application/json" };
  const post = (to: string, body: unknown): Promise<Response> =>
    fetch(`${address}${to}`, { method: "POST", headers, body: JSON.stringify(body) });
  await post("/memories", { user_id: "alice", memory: "Prefers trains to planes", topics: ["travel"] });
  await post("/memories", { user_id: "alice", memory: "Plans a trip to Rome in May", topics: ["travel", "dates"] });
  await post("/learnings", { learning_type: "user_profile", user_id: "alice", content: { name: "Alice" } });
  await addVersions(post);
  await addTrials(post, ids);
  ids.set("DOCUMENT", await addDocuments(address));
  const schedule = {
    name: "morning",
    description: "The weather before breakfast",
    cron_expr: "0 8 * * 1-5",
    timezone: "Europe/Paris",
    endpoint: "/agents/weather/runs",
    payload: { message: "What is the weather in Paris?" },
  };
  const made = await post("/schedules", schedule);
  const { id } = (await made.json()) as { id: string };
  await fetch(`${address}/schedules/${id}/trigger`, { method: "POST" });
  return ids;
}

/** Adds two published versions of the weather agent, and a draft. */
async function addVersions(post: (to: string, body: unknown) => Promise<Response>): Promise<void> {
  const instructions = "Look the weather up with get_weather, and answer in one sentence.";
  const add = (version: object): Promise<Response> => post("/components/weather/configs", version);
  await add({ config: { instructions }, stage: "published", notes: "Shorter answers", label: "short" });
  const warm = `${instructions}\nSay what to wear.`;
  await add({ config: { instructions: warm }, stage: "published", notes: "Users asked for advice" });
  await add({ config: { instructions: warm, maxSteps: 4 }, notes: "At most four model requests" });
}

/** Adds a dataset, an experiment and an eval of the weather agent, and their ids. */
async function addTrials(
  post: (to: string, body: unknown) => Promise<Response>,
  ids: Map<string, string>,
): Promise<void> {
  const add = async (name: string, to: string, body: unknown): Promise<string> => {
    const { id } = (await (await post(to, body)).json()) as { id: string };
    ids.set(name, id);
    return id;
  };
  const rows = ["Paris", "Rome"].map((city) => ({
    ...{ input: `What is the weather in ${city}?`, expected: `It is sunny in ${city}.` },
  }));
  const dataset = await add("DATASET", "/datasets", { name: "Weather of cities", rows });
  const compared = { dataset_id: dataset, component_type: "agent", component_id: "weather" };
  const sides = { version_a: "code", version_b: 2, scorers: ["exact", "levenshtein"] };
  await add("EXPERIMENT", "/experiments", { name: "Advice on clothes", ...compared, ...sides });
  const given = { eval_type: "accuracy", agent_id: "weather", name: "Paris", scorers: ["contains"] };
  await add("EVAL", "/eval-runs", { ...given, input: "What is the weather in Paris?", expected_output: "Paris" });
}

/** Adds documents in each state. Returns the id of the first one. */
async function addDocuments(address: string): Promise<string> {
  const add = async (name: string, text: string | Buffer<ArrayBuffer>, metadata = ""): Promise<string> => {
    const form = new FormData();
    form.set("file", new File([text], name, { type: "text/markdown" }));
    if (metadata) form.set("metadata", metadata);
    const added = await fetch(`${address}/knowledge/content?knowledge_id=manual`, { method: "POST", body: form });
    return ((await added.json()) as { id: string }).id;
  };
  const first = await add("protocol.md", readFileSync("docs/protocol.md"), '{"area": "runs", "year": 2026}');
  await add("console.md", readFileSync("docs/console.md"));
  await add("blank.md", "  ");
  for (let status = "processing"; status === "processing"; await setTimeout(200)) {
    const answer = await fetch(`${address}/knowledge/content/${first}/status?knowledge_id=manual`);
    ({ status } = (await answer.json()) as { status: string });
  }
  return first;
}

async function takePictures(opened: Browser, path: string, runs: ReadonlyMap<string, string>): Promise<void> {
  const [component = ""] = /(agent|team|workflow)\/[^/]+/.exec(path) ?? [];
  const trace = (runs.get("team/travel-desk") ?? "").replaceAll("-", "");
  const place = path
    .replace("RUN", runs.get(component) ?? "")
    .replace("TRACE", trace)
    .replace(/DOCUMENT|DATASET|EXPERIMENT|EVAL/, (named) => runs.get(named) ?? "");
  const name = path.replace(/^\//, "").replaceAll(/[^a-z0-9]+/gi, "-") || "home";
  for (const [look, options] of Object.entries(looks)) {
    const context = await opened.newContext({ ...options, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto(`${url}/console${place}`);
    await page.getByRole("heading", { level: 1 }).or(page.getByRole("dialog")).first().waitFor();
    // The page of a waiting run has a stream that stays open.
    await page.waitForLoadState("networkidle", { timeout: 6_000 }).catch(() => undefined);
    const file = join(folder, `${name}-${look}.png`);
    await page.screenshot({ path: file });
    console.log(file);
    await context.close();
  }
}
