/** A rolling restart of two replicas behind a load balancer. */
import { expect, test, vi } from "vitest";
import { openDatabaseOf } from "../support/databases.ts";
import { startLoadBalancer } from "../support/load-balancer.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { StreamClient } from "../support/stream-client.ts";

vi.setConfig({ testTimeout: 240_000 });

/** With checks, a server drains far longer than the time between two checks of a balancer on a busy machine. */
const settings = (checks: boolean) => ({ drainDuration: checks ? 10_000 : 1_500, shutdownTimeout: 10_000 });

interface Result {
  /** Number of responses by kind of request and status. */
  readonly answers: ReadonlyMap<string, number>;
  /** Number of 5xx and of broken connections. */
  readonly failures: number;
}

/** Restarts two replicas, one after the other, while clients send requests without a pause. */
async function restartUnderLoad(checks: boolean): Promise<Result> {
  await using database = await openDatabaseOf("postgres");
  await using balancer = await startLoadBalancer(checks);
  const replicas: ServerProcess[] = [];
  const addReplica = async (): Promise<void> => {
    const replica = await startServerProcess(database, settings(checks));
    replicas.push(replica);
    await balancer.add(replica.client.address.origin);
  };
  const answers = new Map<string, number>();
  let failures = 0;
  let isOver = false;
  const client = new StreamClient(balancer.address);
  const send = async (kind: string, work: () => Promise<number>): Promise<void> => {
    while (!isOver) {
      const status = await work().catch(() => 599);
      answers.set(`${kind} ${status}`, (answers.get(`${kind} ${status}`) ?? 0) + 1);
      if (status >= 500) failures++;
    }
  };
  const brief = JSON.stringify({ deltas: 3, delay: 20 });
  const whole = async (): Promise<number> => {
    const { status } = await client.post("/agents/talker/runs", { stream: false, message: brief });
    return status;
  };
  const streamed = async (): Promise<number> => {
    const stream = await client.start("agents/talker", { deltas: 5, delay: 100 });
    await stream.closed;
    return stream.ending ? stream.status : 599;
  };
  const read = async (): Promise<number> => (await client.get("/agents")).status;
  try {
    await addReplica();
    await addReplica();
    const clients = [send("run", whole), send("run", whole), send("stream", streamed), send("read", read)];
    for (const old of [...replicas]) {
      old.signal("SIGTERM");
      const { code } = await old.exited;
      expect(code).toBe(0);
      balancer.remove(old.client.address.origin);
      await addReplica();
    }
    isOver = true;
    await Promise.all(clients);
  } finally {
    isOver = true;
    await Promise.all(replicas.map((replica) => replica.crash()));
  }
  return { answers, failures };
}

test("clients behind a load balancer that checks readiness receive no 5xx and no broken connection", async () => {
  const { answers, failures } = await restartUnderLoad(true);
  expect([...answers.keys()].sort()).toEqual(["read 200", "run 200", "stream 200"]);
  expect(failures).toBe(0);
  for (const count of answers.values()) expect(count).toBeGreaterThan(10);
});

test("clients behind a load balancer that does not check readiness receive 5xx", async () => {
  const { failures } = await restartUnderLoad(false);
  expect(failures).toBeGreaterThan(0);
});
