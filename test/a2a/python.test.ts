/** The stock client of Python, from its package: it is installed for the test, in a folder of its own. */
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
import { desk, receiver, slowWords } from "./support/desk.ts";

const run = promisify(execFile);
const version = "1.3.0";
const script = fileURLToPath(new URL("./support/stock_client.py", import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: what the script prints is looked at as it is
type Step = any;

/** The answer that the client puts together from the updates of an artifact. */
function answerOf(events: readonly Step[]): string {
  let text = "";
  for (const { artifactUpdate } of events) {
    if (!artifactUpdate) continue;
    const piece = (artifactUpdate.artifact.parts ?? []).map((part: { text?: string }) => part.text ?? "").join("");
    text = artifactUpdate.append ? text + piece : piece;
  }
  return text;
}

describe("the stock client of Python", () => {
  let folder = "";
  let python = "";

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "troupe-python-"));
    await run("python3", ["-m", "venv", folder]);
    python = join(folder, "bin", "python");
    await run(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", `a2a-sdk==${version}`]);
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
    test.each([
      ["JSONRPC", false],
      ["HTTP+JSON", false],
      ["JSONRPC", true],
      ["HTTP+JSON", true],
    ])(
      "over %s, with authorization: %s: from the card to a push notification",
      async (binding, isGuarded) => {
        const pair = makePair();
        const more = isGuarded ? { authorization: { verificationKeys: [pair.pem] } } : {};
        await using database = await openDatabaseOf(kind);
        await using server = await openServer(database, desk({}, more));
        const { origin } = server.client.address;
        const { url, got } = await receiver();
        const known = isGuarded ? token({ sub: "ada", scopes: ["agents:run", "agents:read"] }, pair) : "";
        if (isGuarded) {
          await expect(run(python, [script, origin, binding, "", url])).rejects.toThrow(/401/);
        }
        const { stdout } = await run(python, [script, origin, binding, known, url], { timeout: 120_000 });
        const steps = new Map(
          stdout
            .split("\n")
            .filter(Boolean)
            .map((line): [string, Step] => {
              const { step, ...what } = JSON.parse(line);
              return [step, what];
            }),
        );
        const [first, ...told] = steps.get("stream").events;
        expect(steps.get("card")).toEqual({ name: "Clerk", interfaces: 4 });
        expect(first.task.status.state).toBe("TASK_STATE_SUBMITTED");
        expect(told.at(-1).statusUpdate.status.state).toBe("TASK_STATE_COMPLETED");
        expect(answerOf(told)).toBe("You said: in pieces");
        const { task } = steps.get("send");
        expect(task).toMatchObject({
          status: { state: "TASK_STATE_COMPLETED" },
          artifacts: [{ parts: [{ text: "You said: hello" }] }],
        });
        expect(steps.get("get").task).toEqual(task);
        expect(steps.get("list")).toEqual({ tasks: 1, total: 2, more: true });
        expect(steps.get("cancel").task.status.state).toBe("TASK_STATE_CANCELED");
        expect(answerOf(steps.get("subscribe").events)).toBe(slowWords.join(""));
        expect(steps.get("cancel again")).toEqual({ error: "TaskNotCancelableError" });
        expect(steps.get("get nothing")).toEqual({ error: "TaskNotFoundError" });
        expect(steps.get("configs")).toEqual({ got: "https://client.example/hook", kept: 1, left: 0 });
        await expect
          .poll(() => got.at(-1)?.body.statusUpdate?.status.state, { timeout: 15_000 })
          .toBe("TASK_STATE_COMPLETED");
        expect(got.every(({ headers }) => headers["x-a2a-notification-token"] === "from-python")).toBe(true);
      },
      180_000,
    );
  });

  test("that of docs/a2a.md talks to the demo, line by line as it stands there", async () => {
    const block = blocks(page("docs/a2a.md")).find(({ marks }) => marks.includes("client=python"));
    for (const key of ["DEMO_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"]) delete process.env[key];
    const { default: platform } = await import("../../examples/demo/app.ts");
    const { openPlatform } = await import("../../src/platform-parts.ts");
    await using database = await openDatabaseOf("sqlite");
    const dataDir = database.kind === "sqlite" ? database.dataDir : "";
    const parts = await openPlatform(platform, { dataDir, log: silentLog, role: "all", isLocalOnly: true });
    try {
      const address = await parts.app.listen({ host: "127.0.0.1", port: 0 });
      parts.begin();
      const file = join(folder, "client.py");
      await writeFile(file, (block?.code ?? "").replaceAll("http://127.0.0.1:7777", address));
      const { stdout } = await run(python, [file], { timeout: 60_000 });
      for (const word of ["status_update", "artifact_update", "TASK_STATE_COMPLETED"]) expect(stdout).toContain(word);
    } finally {
      await parts.end(0);
    }
  }, 120_000);
});
