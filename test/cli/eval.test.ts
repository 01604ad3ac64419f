/** `troupe eval run`: cases of a file against a platform in the process, and against a server. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { workplace } from "./support/troupe.ts";

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const app = `
import { defineAgent, definePlatform } from "troupe";
import { scriptedModel } from "troupe/testing";

const model = scriptedModel(({ message }) => ({ "2+2?": "4", hostile: "\u009b31m\u001b[31m]]>" })[message] ?? "I <do> not know.");
export default definePlatform({ id: "cases", agents: [defineAgent({ id: "agent", model })], authorization: AUTH });
`;
const authorization = `{ verificationKeys: ["a-secret-that-is-long-enough-for-hs256"], algorithm: "HS256" }`;

const good = { name: "sum", input: "2+2?", expected_output: "4" };
const bad = { name: 'a "bad" one', input: "Who?", expected_output: "Ada" };
const cases = { defaults: { agent_id: "agent", scorers: ["exact"] }, cases: [good, bad] };

test("eval run prints each case, writes JUnit XML, and exits with 1 below the threshold", async () => {
  await using place = await workplace({
    ...{ "app.ts": app.replace("AUTH", authorization), "cases.json": JSON.stringify(cases) },
    "good.jsonl": `${JSON.stringify({ ...good, agent_id: "agent", scorers: ["exact"] })}\n\n`,
    "hostile.json": JSON.stringify([
      { ...good, name: "red\u001b[31m", input: "hostile", agent_id: "agent", scorers: ["exact"] },
    ]),
    "slow.json": JSON.stringify([{ ...good, eval_type: "performance", agent_id: "agent", max_run_time: 0.000_001 }]),
  });
  const failed = await place.troupe("eval run cases.json --junit results.xml");
  expect(failed.stderr).toBe("");
  expect([failed.code, failed.stdout.trimEnd().split("\n").at(-1)]).toEqual([
    1,
    "1 of 2 cases passed (50 %); threshold 100 %.",
  ]);
  expect(failed.stdout).toMatch(/^\[\d\/2\] pass sum: score 10 of 10: the output is "4" \(\d+\.\d s\)$/m);
  expect(failed.stdout).toMatch(/^\[\d\/2\] FAIL a "bad" one: score 0 of 10: the output is "I <do> not know\."/m);
  const xml = await readFile(join(place.folder, "results.xml"), "utf8");
  expect(xml).toContain('<testsuite name="cases.json" tests="2" failures="1" errors="0" time="');
  expect(xml).toContain('<testcase name="a &quot;bad&quot; one" classname="cases.json.accuracy"');
  expect(xml).toContain("I &lt;do&gt; not know.");
  const enough = await place.troupe("eval run cases.json --threshold 50%");
  expect(enough.code).toBe(0);
  const lines = await place.troupe("eval run good.jsonl");
  expect([lines.code, lines.stderr]).toEqual([0, ""]);
  const hostile = await place.troupe("eval run hostile.json --junit hostile.xml");
  expect(hostile.stdout).toContain("FAIL red\\u001b[31m: score 0 of 10");
  expect(hostile.stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  const document = await readFile(join(place.folder, "hostile.xml"), "utf8");
  expect(document).toContain('<testcase name="red\ufffd[31m"');
  expect(document).toContain("]]&gt;");
  expect(document).not.toContain("\u001b");
  const slow = await place.troupe("eval run slow.json");
  expect([slow.code, slow.stdout]).toEqual([
    1,
    expect.stringMatching(/FAIL sum: mean \d\.\d{3} s, at most 0\.000001 s/),
  ]);
});

test("eval run executes cases and datasets on a server, and shows its errors", async () => {
  await using place = await workplace({
    ...{ "app.ts": app.replace("AUTH", "false"), "cases.json": JSON.stringify(cases) },
    "unknown.json": JSON.stringify([{ ...good, agent_id: "nobody" }]),
  });
  const { address } = await place.serve("start --port 0");
  const ran = await place.troupe(`eval run cases.json --url ${address} --threshold 0.5`);
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("1 of 2 cases passed")]);
  const body = JSON.stringify({ name: "sums", rows: [{ input: "2+2?", expected: "4" }] });
  const headers = { "content-type": "application/json" };
  const created = await fetch(`${address}/datasets`, { method: "POST", headers, body });
  const { id } = (await created.json()) as { id: string };
  const rows = await place.troupe(`eval run --dataset ${id} --agent agent --scorers exact,numeric --url ${address}`);
  expect([rows.code, rows.stdout]).toEqual([0, expect.stringContaining("[1/1] pass row 1: score 10 of 10")]);
  const unknown = await place.troupe(`eval run unknown.json --url ${address}`);
  expect([unknown.code, unknown.stdout]).toEqual([
    1,
    expect.stringContaining("ERROR sum: 404: Agent with id 'nobody' not found"),
  ]);
});

test.each([
  ["eval runs", 'There is no command "eval runs": write "troupe eval run".'],
  ["eval run", "Name a file of cases, or a dataset with --dataset."],
  ["eval run none.json", "none.json cannot be read"],
  ["eval run broken.json", "broken.json is not JSON"],
  ["eval run list.json", "list.json, case 1: input must be a text."],
  ["eval run list.json --threshold 2", "--threshold 2 is not a part of the cases"],
  ["eval run --dataset d", "--dataset needs --url, and --agent or --team."],
])("%s fails, and the message names the fix", async (command, message) => {
  await using place = await workplace({ "broken.json": "{", "list.json": "[{}]" });
  const ran = await place.troupe(command);
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(message)]);
});
