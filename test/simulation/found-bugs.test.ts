/** Bugs that simulated histories have found, each as a small plan written by hand. */
import { expect, test } from "vitest";
import type { Message } from "../../src/model/run/message.ts";
import { baseSettings } from "./generate.ts";
import { type HistoryResult, runHistory } from "./history.ts";
import type { Action, AtCall, Plan, Script } from "./plan.ts";

type Start = Extract<Action, { kind: "start" }>;

function start(component: string, script: Script, change: Partial<Start> = {}): Start {
  return {
    ...{
      kind: "start",
      name: 0,
      at: 10,
      slot: 0,
      component,
      session: "s",
      script,
      dispatch: false,
      losesAnswer: false,
    },
    ...{ insists: true, kills: 0, reader: { slow: 0, reads: true }, ...change },
  };
}

async function happen(actions: readonly Action[], change: Partial<Plan> = {}): Promise<HistoryResult> {
  const fixed = {
    seed: 1,
    dialect: "postgres",
    processes: 2,
    clockErrors: [0, 0],
    deploys: false,
    latency: 1,
  } as const;
  const result = await runHistory({ ...fixed, settings: baseSettings, actions, ...change });
  expect(result.violation).toBeUndefined();
  return result;
}

const statuses = ({ world }: HistoryResult): string[] =>
  [...world.guarantees.roots.values()].map(({ status }) => status);
const answer: Script = { turns: [{ deltas: 2, size: 5, delay: 1 }] };
const follower = (at: number): Action => ({ kind: "follow", at, start: 0, reader: { slow: 0, reads: true } });
const done = (call: AtCall["call"], nth: number): AtCall => ({ call, nth, phase: "done" });

test("a run that kills each process before its first write ends as ERROR at the fourth attempt", async () => {
  const result = await happen([start("brittle", answer, { kills: 9, insists: false })]);
  expect(statuses(result)).toEqual(["ERROR"]);
  expect([...result.world.guarantees.roots.values()][0]).toMatchObject({ attempt: 4 });
});

test("session state of a finished tool call survives a crash during another call of the same turn", async () => {
  const calls = [
    { tool: "note", takes: 10 },
    { tool: "lookup", takes: 2_000 },
  ] as const;
  const script: Script = { turns: [{ deltas: 1, size: 5, delay: 1, calls }, ...answer.turns] };
  const crash: Action = { kind: "crash", slot: 0, when: { at: 800 }, restart: 300 };
  expect(statuses(await happen([start("solo", script), crash]))).toEqual(["COMPLETED"]);
});

test("a process that is paused for longer than its lease starts no tool of a run that it has lost", async () => {
  const script: Script = {
    turns: [{ deltas: 1, size: 5, delay: 1, calls: [{ tool: "lookup", takes: 20 }] }, ...answer.turns],
  };
  for (let nth = 1; nth <= 6; nth++) {
    const pause: Action = { kind: "pause", slot: 0, when: done("append", nth), lasts: 7_000 };
    expect(statuses(await happen([start("solo", script), pause]))).toEqual(["COMPLETED"]);
  }
});

test("a follower on a process that has lost the run gets the remaining events from the table", async () => {
  const script: Script = { turns: [{ deltas: 2, size: 5, delay: 6_000 }] };
  const pause: Action = { kind: "pause", slot: 0, when: { at: 1_000 }, lasts: 4_500 };
  const followers = [100, 200, 300, 400, 500].map(follower);
  expect(statuses(await happen([start("solo", script), pause, ...followers]))).toEqual(["COMPLETED"]);
});

test("a run whose claim commits late completes", async () => {
  for (const slot of [0, 1]) {
    for (let nth = 1; nth <= 3; nth++) {
      const late: Action = {
        kind: "call",
        slot,
        when: { ...done("claim", nth), phase: "sent" },
        fault: "late",
        lasts: 2_000,
      };
      expect(statuses(await happen([start("solo", answer, { dispatch: true }), late]))).toEqual(["COMPLETED"]);
    }
  }
});

test("a follower of a finished log in memory gets a gap for events that are no longer kept", async () => {
  const script: Script = { turns: [{ deltas: 30, size: 200, delay: 1 }] };
  const expire: Action = { kind: "expire", at: 4_000, start: 0, share: 0.9 };
  const settings = { ...baseSettings, maxRingBytes: 600, maxFlushShareBytes: 800 };
  const late = [4_500, 4_600, 4_700, 4_800].map(follower);
  expect(statuses(await happen([start("solo", script), expire, ...late], { settings }))).toEqual(["COMPLETED"]);
});

test("a run that a process loses and claims again continues there with correct indexes", async () => {
  const script: Script = { turns: [{ deltas: 4, size: 5, delay: 2_500 }] };
  for (let seed = 1; seed <= 40; seed++) {
    const slow: AtCall = { call: "append", nth: 2 + (seed % 7), phase: "sent" };
    const flush: Action = { kind: "call", slot: 0, when: slow, fault: "slow", lasts: 6_500 };
    const actions: Action[] = [
      start("solo", script),
      { kind: "pause", slot: 0, when: { at: 1_000 }, lasts: 6_000 },
      { kind: "drain", at: 6_600 + (seed % 5) * 90, slot: 1, grace: 0, restart: 3_000 },
      seed % 2 === 0 ? follower(50) : flush,
    ];
    expect(statuses(await happen(actions, { seed, latency: 10 }))).toEqual(["COMPLETED"]);
  }
});

test("a process whose first lease renewal fails accepts no run before it has a lease", async () => {
  const script: Script = {
    turns: [{ deltas: 1, size: 5, delay: 1, calls: [{ tool: "charge", takes: 5 }] }, ...answer.turns],
  };
  const lost: Action = {
    ...{ kind: "call", slot: 0, when: { call: "renew", nth: 1, phase: "sent" }, fault: "lost", lasts: 0 },
  };
  const pause: Action = { kind: "pause", slot: 0, when: done("tool", 1), lasts: 5_000 };
  const result = await happen([start("solo", script), lost, pause]);
  expect(statuses(result)).toEqual(["COMPLETED"]);
  expect([...result.world.effects.made.values()]).toEqual([1]);
});

test("a follower gets the end although the last flush got no answer and the events have expired", async () => {
  const unanswered: Action = {
    ...{ kind: "call", slot: 0, when: { call: "end", nth: 1, phase: "sent" }, fault: "unanswered", lasts: 0 },
  };
  const pause: Action = { kind: "pause", slot: 0, when: done("end", 1), lasts: 2_000 };
  const expire: Action = { kind: "expire", at: 1_000, start: 0, share: 1 };
  const actions = [start("solo", answer), unanswered, pause, expire, ...[11, 12, 13, 14].map(follower)];
  expect(statuses(await happen(actions, { seed: 2 }))).toEqual(["COMPLETED"]);
});

test("a run is cancelled when it was stored during an outage and its start was answered with an error", async () => {
  const unanswered: Action = {
    ...{ kind: "call", slot: 0, when: { call: "create", nth: 1, phase: "sent" }, fault: "unanswered", lasts: 0 },
  };
  const outage: Action = { kind: "outage", slot: undefined, at: 70, lasts: 8_000 };
  const result = await happen([start("solo", answer, { at: 50, name: 1, session: undefined }), unanswered, outage]);
  expect(statuses(result)).toEqual(["CANCELLED", "COMPLETED"]);
});

test("the answer of a run that goes on after the result of a tool was its answer contains the result and the answer to the message", async () => {
  const turns = [{ deltas: 1, size: 5, delay: 1, calls: [{ tool: "finish", takes: 10 }] }, ...answer.turns] as const;
  const slow: Action = {
    ...{ kind: "call", slot: 0, when: { call: "end", nth: 1, phase: "sent" }, fault: "slow", lasts: 400 },
  };
  const steer: Action = { kind: "steer", at: 200, start: 0, by: 1, mode: "queue", name: "m1" };
  const result = await happen([start("solo", { turns }), slow, steer]);
  expect(statuses(result)).toEqual(["COMPLETED"]);
  const bodies = [...result.world.database.messages.values()].flat().map(({ body }) => JSON.parse(body) as Message);
  expect(
    bodies.map((message) => (message.role === "assistant" ? (message.isToolAnswer ?? false) : message.role)),
  ).toEqual(["user", false, "tool", true, "user", false]);
});
