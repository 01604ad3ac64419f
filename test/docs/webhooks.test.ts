/** The receiver and the platform of docs/webhooks.md: the receiver refuses connections, comes back, and gets every message. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workplace } from "../cli/support/troupe.ts";
import { eventually } from "../support/eventually.ts";
import { blocks, page } from "./support/pages.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** Returns the page's file of this name. */
function file(name: string): string {
  const found = blocks(page("docs/webhooks.md")).find(({ marks }) => marks.includes(`webhooks=${name}`));
  return found?.code ?? "";
}

/** A port on which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("the page's receiver gets each message once per id, after it was down while runs ended", async () => {
  const port = await freePort();
  const settings = "settings: { webhookRetryInterval: 100, maxWebhookRetryInterval: 500 },";
  await using place = await workplace({
    "receiver.mjs": file("receiver.mjs").replace("9000", String(port)),
    "hooked.ts": file("hooked.ts").replace("9000", String(port)).replace("webhooks: [", `${settings}\n  webhooks: [`),
  });
  const server = await place.serve("start hooked.ts --port 0", { BILLING_WEBHOOK_SECRET: secret });
  const printed: string[] = [];
  const start = async (): Promise<string> => {
    const body = new URLSearchParams({ message: "Hello", stream: "false" });
    const answer = await fetch(`${server.address}/agents/clerk/runs`, { method: "POST", body });
    return ((await answer.json()) as { run_id: string }).run_id;
  };
  const deliveries = async (): Promise<{ id: string; state: string; attempts: number }[]> =>
    (await (await fetch(`${server.address}/webhooks/deliveries?limit=100`)).json()) as never;
  const allDelivered = async (count: number): Promise<void> => {
    const states = (await deliveries()).map(({ state }) => state);
    expect(states).toEqual(Array.from({ length: count }, () => "delivered"));
  };
  const first = receive(place.folder, printed);
  const runs = [await start(), await start()];
  await eventually(() => allDelivered(2));
  const gone = once(first, "exit");
  first.kill("SIGKILL");
  await gone;
  for (let number = 0; number < 10; number++) runs.push(await start());
  // Each message meets the refused connections several times.
  await eventually(async () => {
    const attempts = (await deliveries()).filter(({ state }) => state === "pending").map((one) => one.attempts);
    expect(attempts).toHaveLength(10);
    expect(Math.min(...attempts)).toBeGreaterThan(2);
  });
  const second = receive(place.folder, printed);
  try {
    await eventually(() => allDelivered(12));
    // A replay has the same id, so that the receiver discards it.
    const [{ id } = { id: "" }] = await deliveries();
    const replayed = await fetch(`${server.address}/webhooks/deliveries/${id}/replay`, { method: "POST" });
    expect(replayed.status).toBeLessThan(300);
    await eventually(() => allDelivered(12));
    const lines = printed.join("").trim().split("\n");
    expect(lines.sort()).toEqual(runs.map((run) => `run.completed ${run}`).sort());
  } finally {
    second.kill("SIGKILL");
  }
});

/** Starts the receiver, which adds its output to `printed`. */
function receive(folder: string, printed: string[]): ChildProcess {
  const env = { ...process.env, BILLING_WEBHOOK_SECRET: secret };
  const child = spawn(process.execPath, [join(folder, "receiver.mjs")], { cwd: folder, env });
  child.stdout?.setEncoding("utf8").on("data", (text: string) => printed.push(text));
  return child;
}
