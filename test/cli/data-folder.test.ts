import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { unprivilegedUser } from "../support/postgres-folders.ts";
import { appFile, type Workplace, workplace } from "./support/troupe.ts";

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const advice = "Choose another one with --data-dir (TROUPE_DATA_DIR), or let this user write there.";

/** Every command prints the message in one line and exits with code 1. For doctor it is a PROBLEM. */
async function expectRefusal(place: Workplace, dataDir: string, message: string, commands: readonly string[]) {
  for (const command of commands) {
    const { code, stdout, stderr } = await place.troupe(`${command} --data-dir ${dataDir}`);
    const found = /^PROBLEM +(database .*)$/m.exec(stdout)?.[1];
    expect([command, code, stderr, found]).toEqual(
      command.startsWith("doctor")
        ? [command, 1, "", `database  ${message}`]
        : [command, 1, `troupe: ${message}\n`, undefined],
    );
  }
}

const opening = ["start --port 0", "migrate", "doctor --port 0"];

describe("a data folder that cannot be used is reported by every command with a remedy", () => {
  test("a file, or a path below a file", async () => {
    await using place = await workplace({ "app.ts": appFile(), data: "" });
    const message = `The data folder ${place.folder}/data is a file, not a folder. ${advice}`;
    await expectRefusal(place, "data", message, [...opening, "token"]);
    const below = `The data folder ${place.folder}/data/deep cannot be made: ${place.folder}/data is a file, not a folder. ${advice}`;
    await expectRefusal(place, "data/deep", below, ["start --port 0", "doctor --port 0"]);
  });

  test.runIf(process.platform === "linux")("a path in /proc, where the system creates no files", async () => {
    await using place = await workplace({ "app.ts": appFile() });
    const message = `The data folder /proc/troupe cannot be made: /proc cannot contain files. ${advice}`;
    await expectRefusal(place, "/proc/troupe", message, [...opening, "token"]);
  });

  test("a folder that this user may not write to", async () => {
    const user = unprivilegedUser();
    await using place = await workplace({
      // Root may write to any folder, so the app gives up root rights when it loads.
      "app.ts": appFile("Good morning.", user ? `process.setgid(${user.gid}); process.setuid(${user.uid});` : ""),
    });
    await chmod(place.folder, 0o755);
    await mkdir(join(place.folder, "data"), { mode: 0o555 });
    const message = `The data folder ${place.folder}/data cannot be used by this user. ${advice}`;
    await expectRefusal(place, "data", message, ["start --port 0", "doctor --port 0"]);
  });

  test("a folder whose files are not SQLite databases", async () => {
    const noDatabase = "This is no database, and long enough to be looked at as one. ".repeat(20);
    await using place = await workplace({
      "app.ts": appFile(),
      "data/troupe.sqlite": noDatabase,
      "locked/lock.sqlite": noDatabase,
    });
    const message = (file: string) =>
      `${place.folder}/${file} is not an SQLite database: move it away so that the next start creates a new one, or restore a backup (file is not a database).`;
    await expectRefusal(place, "data", message("data/troupe.sqlite"), opening);
    await expectRefusal(place, "locked", message("locked/lock.sqlite"), ["start --port 0", "migrate"]);
  });
});

test("token reports that the path of its key is a folder", async () => {
  await using place = await workplace();
  await mkdir(join(place.folder, ".troupe/token-key.pem"), { recursive: true });
  const { code, stderr } = await place.troupe("token");
  expect(stderr).toMatch(/^troupe: \S*\.troupe(\/token-key\.pem)? is a folder, not a file \(EISDIR.*\)\.\n$/);
  expect(code).toBe(1);
});
