/** Cancelled runs: every run has one terminal event, and its row has the same status [L5]. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTool } from "../../src/define/tool.ts";
import { system } from "../../src/model/principal.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { Gate } from "../support/gate.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { desk, parallel, talker } from "../support/orders.ts";
import type { Frame } from "../support/stream-client.ts";

const endless = { deltas: 20_000, delay: 5 };

/** A promise that never settles. */
const never = (): Promise<never> => new Promise(() => undefined);

interface End {
  /** Terminal events of the run itself. */
  readonly events: readonly (string | undefined)[];
  /** Whether nothing comes after it. */
  readonly isLast: boolean;
  readonly status: string | undefined;
}

async function endOf({ client, store }: OpenServer, component: string, runId: string): Promise<End> {
  const log = await client.log(component, runId);
  const isEnd = ({ event, data }: Frame) =>
    /^(Team)?Run(Completed|Error|Cancelled)$/.test(event!) && data.run_id === runId;
  const run = await store.findRun(system, runId);
  return {
    events: log.filter(isEnd).map(({ event }) => event),
    isLast: log.length > 0 && isEnd(log.at(-1)!),
    status: run?.status,
  };
}

const cancelledAgent: End = { events: ["RunCancelled"], isLast: true, status: "CANCELLED" };
const cancelledTeam: End = { events: ["TeamRunCancelled"], isLast: true, status: "CANCELLED" };

eachDatabase("cancelling a run", (openDatabase) => {
  test("cancel aborts the model call in flight, and the run ends with its partial content", async () => {
    const model = scriptedModel(() => ({ text: Array.from({ length: 1_000 }, (_, place) => `${place} `), delay: 20 }));
    await using server = await openServer(await openDatabase(), { agents: [defineAgent({ id: "slow", model })] });
    const stream = await server.client.start("agents/slow", "go");
    await stream.until(6);
    expect((await server.client.cancel("agents/slow", stream.runId)).status).toBe(200);
    expect(await stream.closed).toBe("ended");
    expect(model.calls[0]?.abortSignal?.aborted).toBe(true);
    expect(stream.ending?.data.content).toMatch(/^0 1 2 /);
    expect(await endOf(server, "agents/slow", stream.runId)).toEqual(cancelledAgent);
    const { content, status } = await server.client.record("agents/slow", {
      runId: stream.runId,
      sessionId: stream.events[0]!.data.session_id,
    });
    expect({ content, status }).toEqual({ content: stream.ending?.data.content, status: "CANCELLED" });
  });

  test("cancel ends a run although its model, its model stream or its tool ignores the abort signal", async () => {
    const started = new Gate();
    const begun = <T>(say: () => T) => {
      return (): T => {
        void started.pass();
        return say();
      };
    };
    const tool = defineTool({
      name: "hang",
      description: "Never comes back",
      input: z.object({}),
      execute: async () => {
        void started.pass();
        await never();
      },
    });
    const agents = [
      defineAgent({ id: "mute", model: scriptedModel(begun(never)) }),
      defineAgent({
        id: "stuck",
        model: scriptedModel(
          begun(() => ({ text: "well", wait: 1 })),
          { sleep: never },
        ),
      }),
      defineAgent({ id: "hanging", model: scriptedModel([{ toolCalls: [{ name: "hang" }] }]), tools: [tool] }),
    ];
    await using server = await openServer(await openDatabase(), { agents });
    const { client } = server;
    const streams = await Promise.all(agents.map(({ id }) => client.start(`agents/${id}`, "go")));
    await started.crowd(agents.length);
    await Promise.all(agents.map(({ id }, place) => client.cancel(`agents/${id}`, streams[place]!.runId)));
    expect(await Promise.all(streams.map(({ closed }) => closed))).toEqual(["ended", "ended", "ended"]);
    for (const [place, { id }] of agents.entries()) {
      expect(await endOf(server, `agents/${id}`, streams[place]!.runId)).toEqual(cancelledAgent);
    }
  });

  test("cancel of a team cancels the rows of its live members, and cancel of a member returns 404", async () => {
    await using server = await openServer(await openDatabase(), { teams: [desk] });
    const { client, store } = server;
    const stream = await client.start("teams/desk", { deltas: 1, members: [endless, endless] });
    await stream.next(({ event, data }) => event === "RunContent" && data.agent_id === "right");
    await client.cancel("teams/desk", stream.runId);
    await stream.closed;
    expect(await endOf(server, "teams/desk", stream.runId)).toEqual(cancelledTeam);
    const run = await store.findRun(system, stream.runId);
    const members = await store.memberRuns([run!.key]);
    expect(members.map(({ componentId, status }) => [componentId, status]).sort()).toEqual([
      ["left", "CANCELLED"],
      ["right", "CANCELLED"],
    ]);
    expect((await client.cancel("agents/left", members[0]!.runId)).status).toBe(404);
  });

  test("cancel of a run that waits in its session ends it at once, and the other runs keep their order", async () => {
    const gate = new Gate();
    const model = scriptedModel(async ({ message }) => {
      await gate.pass();
      return message;
    });
    await using server = await openServer(await openDatabase(), { agents: [defineAgent({ id: "clerk", model })] });
    const { client } = server;
    const session = { session_id: "office" };
    const first = await client.start("agents/clerk", "first", session);
    await gate.crowd(1);
    const second = await client.start("agents/clerk", "second", session);
    const third = await client.start("agents/clerk", "third", session);
    expect((await client.cancel("agents/clerk", second.runId)).status).toBe(200);
    await second.closed;
    expect(second.events.map(({ id, event }) => [id, event])).toEqual([[0, "RunCancelled"]]);
    expect(await endOf(server, "agents/clerk", second.runId)).toEqual(cancelledAgent);
    expect([first.ending, third.events.length, gate.arrived]).toEqual([undefined, 0, 1]);
    gate.open();
    await Promise.all([first.closed, third.closed]);
    expect([first, third].map(({ ending }) => ending?.data.content)).toEqual(['"first"', '"third"']);
    expect(gate.arrived).toBe(2);
  });

  test("repeated cancels and cancels of a finished run return 200 and change nothing; an unknown run or component mismatch returns 404", async () => {
    await using server = await openServer(await openDatabase(), { agents: [talker, parallel] });
    const { client } = server;
    const [stopped, done] = [
      await client.start("agents/talker", endless),
      await client.start("agents/talker", { deltas: 3 }),
    ];
    await stopped.until(5);
    const twice = await Promise.all([1, 2, 3].map(() => client.cancel("agents/talker", stopped.runId)));
    await Promise.all([stopped.closed, done.closed]);
    const before = await Promise.all([stopped, done].map(({ runId }) => client.log("agents/talker", runId)));
    const again = await Promise.all([stopped, done].map(({ runId }) => client.cancel("agents/talker", runId)));
    expect([...twice, ...again].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const after = await Promise.all([stopped, done].map(({ runId }) => client.log("agents/talker", runId)));
    expect(after).toEqual(before);
    expect(await endOf(server, "agents/talker", stopped.runId)).toEqual(cancelledAgent);
    expect(await endOf(server, "agents/talker", done.runId)).toEqual({
      events: ["RunCompleted"],
      isLast: true,
      status: "COMPLETED",
    });
    const missing = await Promise.all([
      client.cancel("agents/talker", "018f0000-0000-4000-8000-000000000000"),
      client.cancel("agents/parallel", done.runId),
    ]);
    expect(missing.map(({ status }) => status)).toEqual([404, 404]);
  });

  test("cancel at 200 random moments around completion leaves one terminal event each, with the same status in the row", async () => {
    const gates = new Map<string, Gate>();
    const model = scriptedModel(async ({ message }) => {
      await gates.get(JSON.parse(message))?.pass();
      return "Done.";
    });
    const hosted = { agents: [defineAgent({ id: "racer", model })], settings: { maxBackgroundRuns: 400 } };
    await using server = await openServer(await openDatabase(), hosted);
    const { client } = server;
    const statuses: Record<string, number> = {};
    const faults: unknown[] = [];
    const race = async (place: number): Promise<void> => {
      const name = `run ${place}`;
      const gate = new Gate();
      gates.set(name, gate);
      const stream = place % 3 === 0 ? undefined : await client.start("agents/racer", name);
      const background = { message: JSON.stringify(name), background: true, stream: false };
      const runId = stream?.runId ?? (await client.post("/agents/racer/runs", background)).body.run_id;
      if (stream) await gate.crowd(1);
      const [cancelled] = await Promise.all([
        sleep(Math.random() * 20).then(() => client.cancel("agents/racer", runId)),
        sleep(Math.random() * 60).then(() => gate.open()),
      ]);
      if (cancelled.status !== 200) faults.push({ cancelled });
      await stream?.closed;
      const end = await endOf(server, "agents/racer", runId);
      statuses[String(end.status)] = (statuses[String(end.status)] ?? 0) + 1;
      const expected = end.status === "CANCELLED" ? "RunCancelled" : "RunCompleted";
      if (end.events.join() !== expected || !end.isLast) faults.push(end);
    };
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 20 }, (_, place) => race(round * 20 + place)));
    }
    expect(faults).toEqual([]);
    expect((statuses.COMPLETED ?? 0) + (statuses.CANCELLED ?? 0)).toBe(200);
  });
});
