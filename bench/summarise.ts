/**
 * Summarises a CPU profile: self time by file and by function.
 * Usage: node bench/summarise.ts file.cpuprofile [rows]
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly children?: readonly number[];
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const [file, rows = "45"] = process.argv.slice(2);
if (file === undefined) throw new Error("Which profile?");
const profile = JSON.parse(readFileSync(file, "utf8")) as Profile;

const selfTime = new Map<number, number>();
profile.samples.forEach((node, place) => {
  selfTime.set(node, (selfTime.get(node) ?? 0) + (profile.timeDeltas[place] ?? 0));
});

const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)));

const byFile = new Map<string, number>();
const byFunction = new Map<string, number>();
let total = 0;
for (const { id, callFrame } of profile.nodes) {
  const time = selfTime.get(id) ?? 0;
  const { functionName, url, lineNumber } = callFrame;
  if (functionName === "(idle)") continue;
  total += time;
  const source = shortened(url) || "(native)";
  // A native function alone is not informative, so its caller is added.
  const caller = url === "" ? parents.get(id)?.callFrame : undefined;
  const from = caller?.functionName ? ` < ${caller.functionName} ${shortened(caller.url)}` : "";
  const name = (functionName || "(anonymous)") + from;
  byFile.set(source, (byFile.get(source) ?? 0) + time);
  const where = `${name}  ${source}${lineNumber > 0 ? `:${lineNumber + 1}` : ""}`;
  byFunction.set(where, (byFunction.get(where) ?? 0) + time);
}

console.log(`${(total / 1000).toFixed(0)} ms that were not idle`);
print("by file", byFile, 25);
print("by function", byFunction, Number(rows));

function shortened(url: string): string {
  const packages = url.lastIndexOf("/node_modules/");
  if (packages >= 0) return url.slice(packages + 14);
  const source = url.search(/\/(src|bench)\//);
  return source >= 0 ? url.slice(source + 1) : url.startsWith("file:") ? basename(url) : url;
}

function print(title: string, times: ReadonlyMap<string, number>, most: number): void {
  console.log(`\n${title}`);
  const sorted = [...times].sort(([, a], [, b]) => b - a).slice(0, most);
  for (const [name, time] of sorted) {
    console.log(
      `${((time / total) * 100).toFixed(1).padStart(6)} %  ${(time / 1000).toFixed(0).padStart(6)} ms  ${name}`,
    );
  }
}
