/** The stock Python clients of both protocol versions. The test installs each into a folder of its own. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blocks, page } from "../docs/support/pages.ts";
import { openDatabaseOf } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { silentLog } from "../support/runtime.ts";
import { makePair, token } from "../support/tokens.ts";
import { type Arrival, desk, receiver, slowWords } from "./support/desk.ts";

const run = promisify(execFile);

/** The newest client of each version. The client of 1.0 also supports 0.3. */
const versions = { "1.0": "1.3.0", "0.3": "0.3.26" } as const;
type Client = keyof typeof versions;
const scriptOf = (name: string): string => fileURLToPath(new URL(`./support/${name}.py`, import.meta.url));
const scripts = { "1.0": scriptOf("stock_client"), "0.3": scriptOf("stock_client_03") };

// biome-ignore lint/suspicious/noExplicitAny: tests read the scripts' output without types
type Step = any;

/** Returns the answer that a client assembles from artifact updates. */
function answerOf(updates: readonly Step[]): string {
  let text = "";
  for (const { artifact, append } of updates) {
    if (!artifact) continue;
    const piece = (artifact.parts ?? []).map((part: { text?: string }) => part.text ?? "").join("");
    text = append ? text + piece : piece;
  }
  return text;
}

/** A client's conversation with a server, and the notifications that its receiver got. */
interface Spoken {
  readonly steps: ReadonlyMap<string, Step>;
  readonly got: readonly Arrival[];
}

let folder = "";
const pythonOf = (client: Client): string => join(folder, client, "bin", "python");

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "troupe-python-"));
  for (const [client, version] of Object.entries(versions)) {
    await run("python3", ["-m", "venv", join(folder, client)]);
    const pip = [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--no-compile",
      "--disable-pip-version-check",
      `a2a-sdk==${version}`,
    ];
    await run(pythonOf(client as Client), pip);
  }
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a client's script against a server over a binding. A server with authorization first rejects it without a token. */
async function drive(
  kind: "sqlite" | "postgres",
  client: Client,
  { binding, isGuarded, card = "" }: { binding: string; isGuarded: boolean; card?: string },
): Promise<Spoken> {
  const pair = makePair();
  const more = isGuarded ? { authorization: { verificationKeys: [pair.pem] } } : {};
  await using database = await openDatabaseOf(kind);
  await using server = await openServer(database, desk({}, more));
  const { url, got } = await receiver();
  const known = isGuarded ? token({ sub: "ada", scopes: ["agents:run", "agents:read"] }, pair) : "";
  const asked = (bearer: string): string[] => [
    scripts[client],
    server.client.address.origin,
    binding,
    bearer,
    url,
    card,
  ];
  if (isGuarded) await expect(run(pythonOf(client), asked(""))).rejects.toThrow(/401/);
  const { stdout } = await run(pythonOf(client), asked(known), { timeout: 120_000 });
  const lines = stdout.split("\n").filter(Boolean);
  const steps = new Map(
    lines.map((line): [string, Step] => {
      const { step, ...what } = JSON.parse(line);
      return [step, what];
    }),
  );
  await expect.poll(() => JSON.stringify(got.at(-1)?.body)).toMatch(/completed/i);
  expect(got.every(({ headers }) => headers["x-a2a-notification-token"] === "from-python")).toBe(true);
  return { steps, got };
}

describe("the stock Python client", () => {
  describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
    test.each([
      ["JSONRPC", false, ""],
      ["HTTP+JSON", false, ""],
      ["JSONRPC", true, ""],
      ["HTTP+JSON", true, ""],
      ["JSONRPC", kind === "postgres", "0.3"],
    ])(
      "of 1.0 executes every operation over %s, with authorization: %s, from a card of version '%s'",
      async (binding, isGuarded, card) => {
        const { steps, got } = await drive(kind, "1.0", { binding, isGuarded, card });
        const [first, ...told] = steps.get("stream").events;
        const artifacts = (events: readonly Step[]) => events.flatMap((event) => event.artifactUpdate ?? []);
        expect(steps.get("card")).toEqual({ name: "Clerk", interfaces: card === "" ? 4 : 3 });
        expect(first.task.status.state).toBe("TASK_STATE_SUBMITTED");
        expect(told.at(-1).statusUpdate.status.state).toBe("TASK_STATE_COMPLETED");
        expect(answerOf(artifacts(told))).toBe("You said: in pieces");
        const { task } = steps.get("send");
        expect(task).toMatchObject({
          status: { state: "TASK_STATE_COMPLETED" },
          artifacts: [{ parts: [{ text: "You said: hello" }] }],
        });
        expect(steps.get("get").task).toEqual(task);
        if (card === "") expect(steps.get("list")).toEqual({ tasks: 1, total: 2, more: true });
        expect(steps.get("cancel").task.status.state).toBe("TASK_STATE_CANCELED");
        expect(answerOf(artifacts(steps.get("subscribe").events))).toBe(slowWords.join(""));
        expect(steps.get("cancel again")).toEqual({ error: "TaskNotCancelableError" });
        expect(steps.get("get nothing")).toEqual({ error: "TaskNotFoundError" });
        expect(steps.get("configs")).toEqual({ got: "https://client.example/hook", kept: 1, left: 0 });
        const { body } = got.at(-1)!;
        if (card === "") expect(body.statusUpdate.status.state).toBe("TASK_STATE_COMPLETED");
        else expect([body.kind, body.status.state]).toEqual(["task", "completed"]);
      },
      180_000,
    );

    test.each([
      ["JSONRPC", kind === "sqlite"],
      ["HTTP+JSON", kind === "postgres"],
    ])(
      "of 0.3 executes every operation over %s, with authorization: %s",
      async (binding, isGuarded) => {
        const { steps, got } = await drive(kind, "0.3", { binding, isGuarded });
        const updates = (name: string): Step[] =>
          steps.get(name).events.flatMap(({ update }: { update: Step }) => update ?? []);
        expect(steps.get("card")).toEqual({ name: "Clerk", version: "0.3.0" });
        expect(updates("stream").at(-1).status.state).toBe("completed");
        expect(answerOf(updates("stream"))).toBe("You said: in pieces");
        const { task } = steps.get("send");
        expect(task).toMatchObject({
          status: { state: "completed" },
          artifacts: [{ parts: [{ text: "You said: hello" }] }],
        });
        expect(steps.get("get").task).toEqual(task);
        expect(steps.get("cancel").task.status.state).toBe("canceled");
        expect(answerOf(updates("resubscribe"))).toBe(slowWords.join(""));
        expect(steps.get("cancel again").error).toMatch(binding === "JSONRPC" ? /-32002/ : /400/);
        expect(steps.get("get nothing").error).toMatch(binding === "JSONRPC" ? /-32001/ : /404/);
        expect(steps.get("configs")).toEqual({ got: "https://client.example/hook" });
        const { kind: told, status, artifacts } = got.at(-1)!.body;
        expect([told, status.state]).toEqual(["task", "completed"]);
        expect(artifacts).toMatchObject([{ parts: [{ text: "You said: tell me" }] }]);
      },
      180_000,
    );
  });

  test("of docs/a2a.md, copied from the page, gets a completed task from the demo", async () => {
    const block = blocks(page("docs/a2a.md")).find(({ marks }) => marks.includes("client=python"));
    for (const key of ["DEMO_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"]) delete process.env[key];
    const { default: platform } = await import("../../examples/demo/app.ts");
    const { openPlatform } = await import("../../src/platform/open.ts");
    await using database = await openDatabaseOf("sqlite");
    const dataDir = database.kind === "sqlite" ? database.dataDir : "";
    const parts = await openPlatform(platform, { dataDir, log: silentLog, role: "all", isLocalOnly: true });
    try {
      const address = await parts.app.listen({ host: "127.0.0.1", port: 0 });
      parts.begin();
      const file = join(folder, "client.py");
      await writeFile(file, (block?.code ?? "").replaceAll("http://127.0.0.1:7777", address));
      const { stdout } = await run(pythonOf("1.0"), [file], { timeout: 60_000 });
      for (const word of ["status_update", "artifact_update", "TASK_STATE_COMPLETED"]) expect(stdout).toContain(word);
    } finally {
      await parts.end(0);
    }
  }, 120_000);
});
