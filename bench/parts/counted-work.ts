/** Counts the work of the server process on its databases and sockets: statements, transactions, round trips and bytes. For `run-anatomy` only. */
import { Session } from "node:inspector/promises";
import { Socket } from "node:net";
import Sqlite, { type Statement } from "better-sqlite3";
import pg from "pg";

/** Calls and bytes by name. */
export interface Count {
  readonly name: string;
  calls: number;
  bytes: number;
}

let counts = new Map<string, Count>();
let isCounting = false;
let heap: Session | undefined;

function count(name: string, bytes = 0): void {
  if (!isCounting) return;
  const known = counts.get(name) ?? { name, calls: 0, bytes: 0 };
  known.calls += 1;
  known.bytes += bytes;
  counts.set(name, known);
}

/** The first words of a statement: what it does, and to which table. */
function titleOf(text: string): string {
  const words = text
    .replaceAll(/["`\n]/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  const table = /\b(?:from|into|update) (\w+)/i.exec(words)?.[1] ?? "";
  return `${words.slice(0, 6).toLowerCase()} ${table}`.trim();
}

/** Wraps the prototypes of the drivers and of the sockets. Call it before the store is opened. */
export function countWork(): void {
  wrap(Socket.prototype as never, "_writeGeneric", function (this: Socket & { connecting: boolean }, _, data) {
    const size = Array.isArray(data)
      ? data.reduce((sum: number, { chunk }: { chunk: Buffer | string }) => sum + chunk.length, 0)
      : (data as Buffer | string).length;
    count(
      this.remotePort === undefined || this.localPort === servedPort
        ? "socket write to a client"
        : "socket write to the database",
      size,
    );
  });
  wrap(pg.Client.prototype as never, "query", (query) => {
    const { name, text } =
      typeof query === "string" ? { name: query, text: query } : (query as { name?: string; text?: string });
    count(`Postgres: ${name && !/^s\d+$/.test(name) ? name : titleOf(text ?? "")}`);
  });
  const prepare = Sqlite.prototype.prepare;
  Sqlite.prototype.prepare = function (text: string) {
    const statement = prepare.call(this, text) as Statement;
    const title = `SQLite: ${titleOf(text)}`;
    for (const method of ["run", "get", "all"] as const) {
      const original = statement[method].bind(statement) as (...values: unknown[]) => never;
      statement[method] = (...values: unknown[]) => {
        count(title);
        return original(...values);
      };
    }
    return statement as never;
  };
}

let servedPort = 0;

type Method = (this: never, ...values: unknown[]) => unknown;

function wrap(owner: Record<string, Method>, name: string, before: Method): void {
  const original = owner[name];
  owner[name] = function (...values) {
    before.apply(this, values);
    return original?.apply(this, values);
  };
}

/** Begins to count, and to sample allocations. */
export async function beginCounting(port: number): Promise<void> {
  servedPort = port;
  heap = new Session();
  heap.connect();
  await heap.post("HeapProfiler.startSampling", {
    samplingInterval: 4096,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  counts = new Map();
  isCounting = true;
}

interface HeapNode {
  readonly callFrame: { readonly url: string };
  readonly selfSize: number;
  readonly children: readonly HeapNode[];
}

/** Counts since the beginning, and allocated bytes by the file that allocates. */
export async function takeCounts(): Promise<readonly Count[]> {
  isCounting = false;
  const stopped = await heap?.post("HeapProfiler.stopSampling");
  heap?.disconnect();
  const allocated = new Map<string, Count>();
  const visit = ({ callFrame, selfSize, children }: HeapNode): void => {
    const name = `allocated by ${partOf(callFrame.url)}`;
    const known = allocated.get(name) ?? { name, calls: 0, bytes: 0 };
    known.bytes += selfSize;
    allocated.set(name, known);
    children.forEach(visit);
  };
  if (stopped) visit(stopped.profile.head);
  return [...counts.values(), ...allocated.values()];
}

/** The package, the part of `src/`, or the module of Node. */
function partOf(url: string): string {
  const dependency = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  const part = /\/src\/(\w+(?:\/\w+)?)/.exec(url)?.[1];
  return dependency ?? part ?? (url.startsWith("node:") ? "Node" : "V8");
}
