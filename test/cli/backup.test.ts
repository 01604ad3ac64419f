import { appendFile, chmod, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { appFile, askGreeter, workplace } from "./support/troupe.ts";

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const answer = "Good morning. ".repeat(200).trim();

/** An app whose agent streams a long answer slowly. */
const slowApp = `import { defineAgent, definePlatform } from "troupe";
import { scriptedModel } from "troupe/testing";
const greeter = defineAgent({ id: "greeter", sessionPolicy: "parallel",
  model: scriptedModel(() => (${JSON.stringify({ text: answer, delay: 2 })})) });
export default definePlatform({ id: "reception", agents: [greeter] });
`;

/** An event that a client received. */
interface Received {
  readonly run: string;
  readonly index: number;
  readonly frame: string;
}

/** Starts a run and reports each event. Resolves when the stream ends. */
async function followRun(address: string, onEvent: (event: Received) => void, path = "runs", body = "Hi") {
  const form = new URLSearchParams(path === "runs" ? { message: body, stream: "true" } : { last_event_index: "-1" });
  const response = await fetch(`${address}/agents/greeter/${path}`, { method: "POST", body: form });
  if (!response.ok || response.body === null) throw new Error(`${response.status}: ${await response.text()}`);
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = `${rest}${text}`.split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const index = /^id: (\d+)$/m.exec(frame)?.[1];
      const run = /"run_id":"([^"]+)"/.exec(frame)?.[1];
      if (index !== undefined && run !== undefined) onEvent({ run, index: Number(index), frame });
    }
  }
}

test("a backup during load has every event that a client received before it began, and starts", async () => {
  await using place = await workplace({ "app.ts": slowApp, ".troupe/token-key.pem": "key" });
  const server = await place.serve("start app.ts --port 0");
  const received: Received[] = [];
  let isOver = false;
  const clients = Array.from({ length: 12 }, async () => {
    while (!isOver) await followRun(server.address, (event) => received.push(event)).catch(() => undefined);
  });
  while (received.length < 3_000) await new Promise((resolve) => setTimeout(resolve, 20));
  const before = [...received];
  const backup = await place.troupe("backup saved");
  expect([backup.code, backup.stderr]).toEqual([0, ""]);
  expect(backup.stdout).toMatch(
    /^Backup of \S+ in \S+saved: \d+ runs, \d+ events, \d+\.\d MB, integrity checked, every log read\.\n$/,
  );
  expect((await readdir(join(place.folder, "saved"))).sort()).toEqual([
    "backup.json",
    "token-key.pem",
    "troupe.sqlite",
  ]);

  expect(await place.troupe("restore saved")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^troupe: the data folder \S+ is in use by process \d+/),
  });
  isOver = true;
  server.signal("SIGKILL");
  await Promise.all([...clients, server.exited]);
  expect(received.length).toBeGreaterThan(before.length);
  expect(await place.troupe("restore saved")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^troupe: \S+\.troupe is not an empty folder\. Move its files away/),
  });

  const restored = await place.troupe("restore saved --data-dir restored");
  expect([restored.code, restored.stderr]).toEqual([0, ""]);
  expect(restored.stdout).toMatch(/^Backup of 20\S+ by Troupe \S+ restored in \S+restored: \d+ runs/);
  expect((await place.troupe("doctor --deep --port 0 --data-dir restored")).stdout).toMatch(/^ok +data /m);
  const again = await place.serve("start app.ts --port 0 --data-dir restored");
  const stored = new Map<string, string>();
  for (const run of new Set(before.map((event) => event.run))) {
    const frames: string[] = [];
    await followRun(again.address, (event) => frames.push(event.frame), `runs/${run}/resume`);
    expect(frames.at(-1)).toMatch(/^event: RunCompleted\n/);
    for (const [index, frame] of frames.entries()) stored.set(`${run} ${index}`, frame);
  }
  const lost = before.filter(({ run, index, frame }) => stored.get(`${run} ${index}`) !== frame);
  expect(lost).toEqual([]);
});

test("a backup that was changed, and a folder that is none, are not restored and leave nothing", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const server = await place.serve("start app.ts --port 0");
  await askGreeter(server.address);
  server.signal("SIGTERM");
  await server.exited;
  expect((await place.troupe("backup saved")).code).toBe(0);
  expect(await place.troupe("backup saved")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/saved is not an empty folder\. Choose another folder/),
  });
  expect((await place.troupe("restore .troupe --data-dir other")).stderr).toMatch(/is not a backup of "troupe backup"/);
  await appendFile(join(place.folder, "saved/troupe.sqlite"), "x");
  expect(await place.troupe("restore saved --data-dir other")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is not the file that the backup wrote/),
  });
  expect((await readdir(join(place.folder, "other"))).filter((name) => name !== "lock.sqlite")).toEqual([]);
});

test("a restored file is private, and a manifest that names other files is rejected", async () => {
  await using place = await workplace({ "app.ts": appFile(), ".troupe/token-key.pem": "key" });
  const server = await place.serve("start app.ts --port 0");
  server.signal("SIGTERM");
  await server.exited;
  expect((await place.troupe("backup saved")).code).toBe(0);
  const saved = join(place.folder, "saved");
  for (const name of await readdir(saved)) await chmod(join(saved, name), 0o644);
  expect((await place.troupe("restore saved --data-dir other")).code).toBe(0);
  for (const name of ["token-key.pem", "troupe.sqlite"])
    expect([name, (await stat(join(place.folder, "other", name))).mode & 0o777]).toEqual([name, 0o600]);

  const manifest = JSON.parse(await readFile(join(saved, "backup.json"), "utf8"));
  for (const name of ["../x", "a/b", ".", "..", "", "troupe.sqlite-wal", "lock.sqlite"]) {
    const files = { ...manifest.files, [name]: manifest.files["troupe.sqlite"] };
    await writeFile(join(saved, "backup.json"), JSON.stringify({ ...manifest, files }));
    expect([name, (await place.troupe("restore saved --data-dir third")).stderr]).toEqual([
      name,
      expect.stringMatching(/does not list the files of a backup\.\n$/),
    ]);
  }
  expect(await readdir(place.folder)).not.toContain("third");
});

test("a backup of a damaged data folder fails, names the loss, and leaves nothing", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const server = await place.serve("start app.ts --port 0");
  await askGreeter(server.address);
  server.signal("SIGTERM");
  await server.exited;
  const database = new Sqlite(join(place.folder, ".troupe/troupe.sqlite"));
  database.exec("delete from segments where last_index = (select min(last_index) from segments)");
  database.close();
  const { code, stderr } = await place.troupe("backup saved");
  expect([code, stderr]).toEqual([1, expect.stringMatching(/is damaged \(1 of its runs are damaged, for example /)]);
  expect((await readdir(place.folder)).filter((name) => name.startsWith("saved"))).toEqual([]);
  await rm(join(place.folder, ".troupe"), { recursive: true });
  expect((await place.troupe("backup saved")).stderr).toMatch(/^troupe: There is no database in /);
});

test("on Postgres, backup and restore name its own tools", async () => {
  await using place = await workplace();
  for (const command of ["backup", "restore"])
    expect(await place.troupe(`${command} saved --database postgres://u@h/d`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"pg_dump --format=custom"'),
    });
});
