/** The compiler checks every kind of event that a server sends against the types of events. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { sqliteServer } from "../conformance/support/server.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));
const compiler = join(project, "node_modules/.bin/tsc");

const client = sqliteServer();

/** The compiler's output for values that are declared as events. */
async function compile(events: readonly unknown[]): Promise<string> {
  // The folder is inside the project, so that the compiler finds packages and their types.
  const place = await mkdtemp(join(project, "node_modules/.events-"));
  try {
    const lines = events.map((event) => `  ${JSON.stringify(event)},`);
    const source = `import type { RunEvent } from "../../client/index.ts";\nexport const events: RunEvent[] = [\n${lines.join("\n")}\n];\n`;
    await writeFile(join(place, "events.ts"), source);
    const config = { extends: "../../tsconfig.json", compilerOptions: { rootDir: "../.." }, files: ["events.ts"] };
    await writeFile(join(place, "tsconfig.json"), JSON.stringify(config));
    return await promisify(execFile)(compiler, ["-p", place]).then(
      () => "",
      (error: { stdout: string }) => error.stdout,
    );
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

const runs = [
  ["agents/tool-agent", "weather"],
  ["agents/plain-agent", "hello"],
  ["agents/plain-agent", "please explode"],
  ["agents/hitl-agent", "send email"],
  ["agents/hitl-agent", "name please"],
  ["agents/hitl-agent", "money"],
  ["teams/duo-team", "delegate hello"],
  ["teams/duo-team", "please explode"],
  ["teams/hitl-team", "send email"],
  ["workflows/simple-flow", "hello"],
  ["workflows/rich-flow", "hello"],
  ["workflows/bad-flow", "hello"],
  ["workflows/hitl-flow", "hello"],
  ["workflows/executor-flow", "send email"],
] as const;

test("every sent event matches the type RunEvent, and an invalid event does not", async () => {
  const first = new Map<string, Record<string, unknown>>();
  for (const [path, message] of runs) {
    const stream = await client().stream(`/${path}/runs`, { message });
    await stream.all();
    for (const { data } of stream.events) {
      if (data.event) first.set(`${data.event} ${Object.keys(data).join(" ")}`, data);
    }
  }
  expect(first.size).toBeGreaterThan(40);
  const [started] = first.values();
  const wrong = [
    { ...started, event_index: "0" },
    { ...started, event: "RunStartd" },
    { ...started, surprise: 1 },
  ];
  const told = await compile([...wrong, ...first.values()]);
  const lines = new Set([...told.matchAll(/events\.ts\((\d+),/g)].map(([, line]) => Number(line)));
  expect([...lines], told).toEqual([3, 4, 5]);
});
