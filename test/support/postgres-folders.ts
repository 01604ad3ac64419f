import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, statfsSync, statSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface User {
  uid: number;
  gid: number;
}

/** Postgres refuses to run as root: root starts it as `nobody`. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** Creates a private folder of that user, inside `wanted` if the user can reach it. */
export function makeFolder(user: User | undefined, wanted: string): string {
  const parent = user && !isOpenToAll(wanted) ? "/tmp" : wanted;
  const folder = mkdtempSync(join(parent, "troupe-postgres-"));
  chmodSync(folder, 0o700);
  if (user) chownSync(folder, user.uid, user.gid);
  return folder;
}

/** Returns a folder in memory if the machine has room: a new database is 300 files, which some disks create slowly. */
export function memoryFolder(): string {
  const shared = "/dev/shm";
  if (!existsSync(shared)) return tmpdir();
  const { bavail, bsize } = statfsSync(shared);
  return bavail * bsize > 4 * 2 ** 30 ? shared : tmpdir();
}

function isOpenToAll(folder: string): boolean {
  const mayEnter = (statSync(folder).mode & 0o001) !== 0;
  return mayEnter && (dirname(folder) === folder || isOpenToAll(dirname(folder)));
}

/** Starts a shell that survives a killed test process: when its pipe breaks, it stops the server and deletes the folders. */
export function guardFolders(folder: string, data: string): ChildProcess {
  const script = `cat > /dev/null
    lock="$2/postmaster.pid"
    pid=$(head -n 1 "$lock" 2> /dev/null) && kill -QUIT "$pid"
    for tenth in $(seq 100); do [ -e "$lock" ] && sleep 0.1; done
    rm -rf -- "$1" "$2"`;
  const command = ["-c", script, "guard", folder, data];
  const guard = spawn("sh", command, { cwd: "/", detached: true, stdio: ["pipe", "ignore", "ignore"] });
  guard.unref();
  (guard.stdin as Socket | null)?.unref();
  return guard;
}
