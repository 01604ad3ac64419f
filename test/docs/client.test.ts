/** The program in docs/client.md, against the demo, over connections that are cut. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { workplace } from "../cli/support/troupe.ts";
import { tcpRelay } from "../support/tcp-relay.ts";
import { blocks, page, project } from "./support/pages.ts";

test("the page's program prints the whole answer once, although its connections are cut", {
  timeout: 60_000,
}, async () => {
  const [program] = blocks(page("docs/client.md")).filter(({ marks }) => marks.includes("client=ask.ts"));
  await using place = await workplace();
  const server = await place.serve(`start ${join(project, "examples/demo/app.ts")} --port 0`);
  await using relay = await tcpRelay(new URL(server.address));
  // The folder is in the checkout, so that the package's own name resolves. Git ignores it.
  const folder = await mkdtemp(join(project, ".docs-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "ask.ts"), program!.code.replace("http://127.0.0.1:7777", relay.url));
  const printed = new Promise<string>((resolve, reject) => {
    const child = execFile(process.execPath, ["--conditions=troupe-source", join(folder, "ask.ts")], (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
    let pieces = 0;
    child.stdout?.on("data", () => pieces++ % 20 === 10 && relay.cut());
  });
  const lines = (await printed).trimEnd().split("\n");
  const last = /^COMPLETED after (\d+) events$/.exec(lines.at(-1) ?? "");
  expect(Number(last?.[1])).toBeGreaterThan(100);
  const runs = (await (await fetch(`${server.address}/teams/travel-desk/runs`)).json()) as { content: string }[];
  expect(runs).toHaveLength(1);
  expect(lines.slice(0, -1).join("\n")).toBe(runs[0]?.content.trimEnd());
});
