/** 100 concurrent streams of 200 content events each, without delay: events per second, and the time to the first event. */
import { type Bench, type Candidate, Figures, type QuestionOf, type Taken } from "../parts/bench.ts";
import type { Child } from "../parts/child.ts";
import type { BurstResult, LoadCommands, ReferenceCommands, TroupeCommands } from "../parts/commands.ts";
import { formRequest } from "../parts/connection.ts";
import { printTable, spread } from "../parts/table.ts";

const connections = 100;
const rounds = 10;

/** Streams of an agent and of a team, in turn. */
const requests = [
  formRequest("/agents/burst/runs", { message: "Hello", stream: "true" }),
  formRequest("/teams/burst/runs", { message: "Hello", stream: "true" }),
];

type Load = Child<LoadCommands>;

export const burst: QuestionOf = async (bench) => {
  const load = bench.load();
  const reference = await bench.reference();
  const ours = [];
  for (const engine of bench.options.engines) ours.push(await bench.troupe(engine));
  if (ours[0]) await teachBurst(load, reference, ours[0]);
  const candidates: Candidate[] = [reference, ...ours];
  const figures = new Map(candidates.map((candidate) => [candidate, new Figures()]));
  for (const candidate of candidates) await measureBurst(bench, load, candidate, { connections, rounds: 3 });
  for (let pass = 0; pass < bench.options.passes; pass++) {
    const bare = await measure(load, reference);
    figures.get(reference)?.add(bare);
    for (const candidate of ours) {
      const { "events/s": perSecond, ...rest } = await measure(load, candidate, candidate.process);
      const ratio = perSecond / bare["events/s"];
      figures.get(candidate)?.add({ "events/s": perSecond, "of bare": ratio, ...rest });
    }
  }
  const rows = [...figures].map(([{ name }, found]) => ({ server: name, ...found.cells(spread) }));
  printTable(`Burst: ${connections} streams at once, 200 content events each`, rows);

  async function measure(
    load: Load,
    candidate: Candidate,
    troupe?: Child<TroupeCommands>,
  ): Promise<{ "events/s": number } & Record<string, number>> {
    await troupe?.ask("compacted", undefined);
    const { perSecond, cpu, taken } = await measureBurst(bench, load, candidate, { connections, rounds });
    const { events, firstP50, firstP99 } = taken.result;
    await troupe?.ask("compacted", undefined);
    const after = await candidate.process.ask("mark", undefined);
    return {
      "events/s": perSecond,
      "CPU us/event": cpu,
      ...(troupe && { "with compaction": ((after.cpu - taken.before.cpu) * 1000) / events }),
      ...(troupe && { "database us/event": (taken.databaseCpu * 1000) / events }),
      "first ms p50": firstP50,
      p99: firstP99,
      "loop p99 ms": taken.loopP99,
    };
  }
};

/** Makes the reference server send the frames of a stream of the burst. */
export async function teachBurst(
  load: Load,
  reference: Candidate<ReferenceCommands>,
  { port }: Candidate,
): Promise<void> {
  const frames = await load.ask("capture", { port, request: requests[0] ?? "" });
  await reference.process.ask("send", { frames, perSecond: 0 });
}

/** Figures of a burst. */
export interface MeasuredBurst {
  /** Events per second. */
  readonly perSecond: number;
  /** Microseconds of the server's CPU per event. */
  readonly cpu: number;
  readonly taken: Taken & { readonly result: BurstResult };
}

/** Measures a burst: `connections` streams begin together, `rounds` times. */
export async function measureBurst(
  bench: Bench,
  load: Load,
  candidate: Candidate,
  size: { readonly connections: number; readonly rounds: number },
): Promise<MeasuredBurst> {
  const input = { port: candidate.port, requests, ...size };
  const taken = await bench.during(candidate, () => load.ask("burst", input));
  const { events, seconds } = taken.result;
  return { perSecond: events / seconds, cpu: (taken.cpu * 1000) / events, taken };
}
