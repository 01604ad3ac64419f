import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Workplace, workplace } from "../cli/support/troupe.ts";
import { blocks, page, pages, project, prose } from "./support/pages.ts";

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const readme = page("README.md");
const apps = pages().flatMap((from) =>
  blocks(from)
    .filter(({ marks }) => marks.some((mark) => mark.startsWith("run=")))
    .map((block) => ({ ...block, from })),
);

describe("apps in the pages", () => {
  test.each(apps)("start, and their components answer a message: $place", async ({ from, marks, code }) => {
    const name = marks.find((mark) => mark.startsWith("run="))?.slice(4) ?? "";
    await using place = await workplace({ [name]: code });
    const server = await place.serve(`start ${name} --port 0`);
    const agents = (await (await fetch(`${server.address}/agents`)).json()) as { id: string }[];
    expect(agents.length).toBeGreaterThan(0);
    for (const { id } of agents) {
      const body = new URLSearchParams({ message: "Hello", stream: "false" });
      const answer = await fetch(`${server.address}/agents/${id}/runs`, { method: "POST", body });
      expect(await answer.json()).toMatchObject({ status: "COMPLETED", content: expect.stringMatching(/./) });
    }
    const workflows = (await (await fetch(`${server.address}/workflows`)).json()) as { id: string }[];
    for (const { id } of workflows) {
      // The page states the answer for Paris.
      const { status, content } = await yesToAll(`${server.address}/workflows/${id}/runs`, "Paris");
      expect(status).toBe("COMPLETED");
      expect(prose(from)).toContain(`with \`message=Paris\`, confirm the question, and it answers \`${content}\``);
    }
  });

  test.each(["README.md", "docs/workflows.md"])("exist in %s", (path) => {
    expect(apps.map(({ from }) => from.path)).toContain(path);
  });
});

interface Run {
  run_id: string;
  session_id: string;
  status: string;
  content: string;
  step_requirements: { requirement_id: string }[];
}

/** Runs a workflow and confirms every question. */
async function yesToAll(runs: string, message: string): Promise<Run> {
  const post = async (url: string, fields: Record<string, string>): Promise<Run> => {
    const body = new URLSearchParams({ ...fields, stream: "false" });
    return (await (await fetch(url, { method: "POST", body })).json()) as Run;
  };
  let run = await post(runs, { message });
  while (run.status === "PAUSED") {
    const answers = run.step_requirements.map(({ requirement_id }) => ({ requirement_id, confirmed: true }));
    const step_requirements = JSON.stringify(answers);
    run = await post(`${runs}/${run.run_id}/continue`, { session_id: run.session_id, step_requirements });
  }
  return run;
}

test("the README's commands interrupt and resume a team's run without a gap", async () => {
  const commands = blocks(readme)
    .filter(({ language }) => language === "sh")
    .map(({ code }) => code);
  const start = commands.find((code) => code.includes("| tee .troupe/run.txt")) ?? "";
  const resume = commands.find((code) => code.includes("/resume")) ?? "";
  await using place = await workplace();
  const server = await place.serve(`start ${join(project, "examples/demo/app.ts")} --port 0`);
  await mkdir(join(place.folder, ".troupe"), { recursive: true });
  const here = (code: string): string => code.replaceAll("http://127.0.0.1:7777", server.address);

  const run = shell(place, here(start));
  await expect.poll(() => eventsIn(place)).toBeGreaterThan(30);
  process.kill(-(run.pid ?? 0), "SIGINT");
  await once(run, "close");
  const first = await readFile(join(place.folder, ".troupe/run.txt"), "utf8");
  expect(first).not.toContain("event: TeamRunCompleted");

  const { stdout } = await promisify(execFile)("sh", ["-c", here(resume)], { cwd: place.folder });
  const indices = [...(first + stdout).matchAll(/"event_index":(\d+)\}$/gm)].map(([, index]) => Number(index));
  expect(indices).toEqual(indices.map((_, place) => place));
  expect(stdout.trimEnd().split("\n").at(-3)).toBe("event: TeamRunCompleted");
});

test("the README's client program runs in the checkout with the README's command", async () => {
  const [program] = blocks(readme).filter(({ marks }) => marks.includes("run-in-checkout"));
  const command = blocks(readme).find(({ code }) => code.includes(".troupe/ask.ts"))?.code ?? "";
  await using place = await workplace();
  const server = await place.serve(`start ${join(project, "examples/demo/app.ts")} --port 0`);
  // The folder is in the checkout, as in the README. Git ignores it.
  const folder = await mkdtemp(join(project, ".docs-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "ask.ts"), program!.code.replace("http://127.0.0.1:7777", server.address));
  const typed = command.replace(".troupe/ask.ts", join(folder, "ask.ts"));
  const { stdout } = await promisify(execFile)("sh", ["-c", typed], { cwd: project });
  expect(stdout).toContain("Let me see what we know about Paris.");
});

/** Starts a command line in its own process group, so that a signal ends it as Ctrl-C does. */
function shell({ folder }: Workplace, code: string): ChildProcess {
  return spawn("sh", ["-c", code], { cwd: folder, detached: true, stdio: "ignore" });
}

async function eventsIn({ folder }: Workplace): Promise<number> {
  const text = await readFile(join(folder, ".troupe/run.txt"), "utf8").catch(() => "");
  return [...text.matchAll(/^id: /gm)].length;
}
