/** Delays between two replicas of one Postgres: a takeover after kill -9, a cancel, an event on its way to a follower. Default intervals. */

import { defaultSettings } from "../../src/model/settings.ts";
import { StreamClient } from "../../test/support/stream-client.ts";
import type { Candidate, QuestionOf } from "../parts/bench.ts";
import type { TroupeCommands } from "../parts/commands.ts";
import { percentile } from "../parts/statistics.ts";
import { figure, printTable } from "../parts/table.ts";
import { now, sleep } from "../parts/time.ts";

type Replica = Candidate<TroupeCommands>;

const kills = 12;
/** Runs on each killed replica. */
const runsOfAKill = 5;
const cancels = 100;
/** Runs followed on another replica, at 50 events a second each, and the milliseconds to follow them. */
const followed = 10;
const window = 20_000;
/** A process renews its lease at this interval: kills happen at random times within it. */
const { leaseDuration: lease, leaseRenewInterval: renewal } = defaultSettings;

const steady = "agents/steady";

export const replicasBetween: QuestionOf = async (bench) => {
  const database = await bench.database("postgres");
  const start = (): Promise<Replica> => bench.troupe("postgres", { database });
  let [owner, other] = await Promise.all([start(), start()]);
  const rows: Record<string, string | number>[] = [];
  const add = (what: string, figures: readonly number[]): void => {
    const [p50, p99] = [figure(percentile(figures, 0.5)), figure(percentile(figures, 0.99))];
    rows.push({ "milliseconds from … to …": what, p50, p99, times: figures.length });
  };

  add("an event to a follower elsewhere", await delays(owner, other));
  add("a cancel elsewhere to the terminal event", await cancelElsewhere(owner, other));
  const takeovers: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const next = start();
    takeovers.push(...(await killAndWait(owner, other)));
    // The replica that took over is the next to be killed.
    [owner, other] = [other, await next];
  }
  add("kill -9 to the first event of who took over", takeovers);
  printTable("Between two replicas", rows);
};

const clientOf = ({ port }: Replica): StreamClient => new StreamClient(`http://127.0.0.1:${port}`);

/** Milliseconds from emit to receipt of live events, for followers on a replica that does not execute the run. */
async function delays(owner: Replica, other: Replica): Promise<readonly number[]> {
  const runs = await Promise.all(Array.from({ length: followed }, () => clientOf(owner).start(steady, "Hello")));
  const streams = await Promise.all(runs.map(({ runId }) => clientOf(other).resume(steady, runId)));
  for (const run of runs) run.cut();
  // Skips events that were stored before the followers connected.
  await sleep(2_000);
  const found: number[] = [];
  const reading = streams.map(async (stream) => {
    for (let place = stream.frames.length; !stream.isClosed; ) {
      await stream.moved();
      const at = now();
      for (; place < stream.frames.length; place++) {
        const emitted = /@(\d+) /.exec(stream.frames[place]?.raw ?? "")?.[1];
        if (emitted && stream.frames[place]?.event === "RunContent") found.push(at - Number(emitted) / 1000);
      }
    }
  });
  await sleep(window);
  for (const stream of streams) stream.cut();
  await Promise.all(reading);
  await Promise.all(runs.map(({ runId }) => clientOf(owner).cancel(steady, runId)));
  return found;
}

async function cancelElsewhere(owner: Replica, other: Replica): Promise<readonly number[]> {
  const found: number[] = [];
  for (let place = 0; place < cancels; place++) {
    const run = await clientOf(owner).start(steady, "Hello");
    await run.until(3);
    const asked = now();
    await clientOf(other).cancel(steady, run.runId);
    await run.closed;
    if (run.ending?.event !== "RunCancelled") throw new Error(`A cancelled run ended with ${run.ending?.event}.`);
    found.push(now() - asked);
  }
  return found;
}

/** Kills the owner of some runs; returns the milliseconds until followers on the other replica see them continue. */
async function killAndWait(owner: Replica, other: Replica): Promise<readonly number[]> {
  const runs = await Promise.all(Array.from({ length: runsOfAKill }, () => clientOf(owner).start(steady, "Hello")));
  const streams = await Promise.all(runs.map(({ runId }) => clientOf(other).resume(steady, runId)));
  // The replica that takes over must have held its own lease for a whole period.
  await sleep(lease + Math.random() * renewal);
  const killedAt = now();
  owner.process.process.kill("SIGKILL");
  const found = await Promise.all(
    streams.map(async (stream) => {
      await stream.next(({ event }) => event === "RunRecovered");
      return now() - killedAt;
    }),
  );
  await Promise.all(runs.map(({ runId }) => clientOf(other).cancel(steady, runId)));
  return found;
}
