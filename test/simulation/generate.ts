/** Generates the plan of a seed. */
import { defaultSettings, type Settings } from "../../src/model/settings.ts";
import { metered } from "./components.ts";
import type {
  Action,
  AtCall,
  Call,
  CallFault,
  CallName,
  Plan,
  ReaderTraits,
  Script,
  ToolName,
  Turn,
  When,
} from "./plan.ts";
import { Random } from "./random.ts";
import { versioned } from "./versions.ts";

/** Returns the plan of a seed, which is the same on every machine. */
export function planOf(seed: number): Plan {
  const random = new Random(seed, "plan");
  const dialect = random.chance(0.2) ? "sqlite" : "postgres";
  const processes = dialect === "sqlite" ? 1 : random.integer(2, 3);
  const starts = random.pick([1, 1, 1, 2, 2, 2, 2, 3, 3, 4]);
  const actions: Action[] = [];
  // Drawn separately, so that it changes nothing else in the plan.
  const limited = new Random(seed, "limits");
  const isMetered = limited.chance(0.4);
  for (let n = 0; n < starts; n++) {
    const start = startAction(random, n, processes);
    const meters = isMetered && ["solo", "free", "keeper"].includes(start.component);
    actions.push(meters ? { ...start, component: metered.id } : start);
  }
  for (let n = random.integer(0, starts); n > 0; n--) actions.push(clientAction(random, starts, processes));
  const faults = random.chance(0.1) ? 0 : random.integer(1, random.chance(0.3) ? 9 : 4);
  for (let n = 0; n < faults; n++) actions.push(faultAction(random, dialect, processes));
  if (dialect === "postgres" && random.chance(0.25)) actions.push(...motif(random, starts, processes));
  const steered = new Random(seed, "steering");
  const steerable = actions.filter((action) => action.kind === "start" && action.component !== metered.id);
  if (steerable.length > 0 && steered.chance(0.3)) {
    for (let n = steered.integer(1, 3); n > 0; n--) actions.push(steerAction(steered, steerable, processes, n));
  }
  const published = new Random(seed, "versions");
  const versions = published.chance(0.25);
  for (let n = versions ? published.integer(1, 4) : 0; n > 0; n--) actions.push(publishAction(published, n));
  return {
    seed,
    versions,
    dialect,
    processes,
    settings: settingsOf(random),
    clockErrors: Array.from({ length: processes }, () => random.integer(-400, 400)),
    deploys: random.chance(0.15),
    roles: processes > 1 && random.chance(0.15) ? ["api", "worker", random.pick(["api", "worker", "all"])] : undefined,
    latency: random.pick([1, 3, 10, 40]),
    actions,
  };
}

/** Intervals shorter than the defaults, so that histories wait less. */
export const baseSettings: Settings = {
  ...defaultSettings,
  ...{ leaseDuration: 3_000, leaseRenewInterval: 1_000, sweepInterval: 1_000, followPollInterval: 900 },
  ...{ compactionInterval: 3_000, outageTimeout: 3_000, deleteTimeout: 1_500 },
};

function settingsOf(random: Random): Settings {
  return {
    ...baseSettings,
    maxRingBytes: random.pick([600, 3_000, 65_536]),
    maxTotalRingBytes: random.pick([2_000, 12_000, 1_000_000]),
    flushInterval: random.pick([5, 5, 40]),
    maxFlushBytes: random.pick([1_500, 8_000, 262_144]),
    maxFlushShareBytes: random.pick([800, 4_000, 65_536]),
    maxPendingBytes: random.pick([1_000, 4_000, 65_536]),
    maxTotalPendingBytes: random.pick([3_000, 20_000, 1_000_000]),
    maxBackgroundRuns: random.pick([1, 2, 64]),
    maxCompactedRowBytes: random.pick([700, 4_000]),
  };
}

const components = ["solo", "solo", "keeper", "free", "hasty", "former", "desk", "desk", "panel", "front", "brittle"];

function startAction(random: Random, name: number, processes: number): Extract<Action, { kind: "start" }> {
  const component = random.pick(components);
  return {
    kind: "start",
    name,
    at: random.skewed(0, 2_500),
    slot: random.integer(0, processes - 1),
    component,
    session: random.chance(0.7) ? random.pick(["s1", "s1", "s2"]) : undefined,
    script: rootScript(random, component),
    dispatch: random.chance(0.25),
    losesAnswer: random.chance(0.06),
    insists: random.chance(0.7),
    kills: component === "brittle" && random.chance(0.3) ? random.integer(1, 5) : 0,
    reader: readerOf(random),
  };
}

function readerOf(random: Random): ReaderTraits {
  return { slow: random.chance(0.2) ? random.integer(20, 400) : 0, reads: random.chance(0.9) };
}

function rootScript(random: Random, component: string): Script {
  if (component === "desk") return script(random, 2, (turn) => memberCalls(random, turn));
  if (component === "panel") return { turns: [turnOf(random)], each: memberScript(random) };
  if (component === "former") {
    const rounds = random.chance(0.5) ? [{ ...turnOf(random), calls: toolCalls(random) }] : [];
    return {
      turns: [
        ...rounds,
        { ...turnOf(random), json: random.chance(0.7) },
        { ...turnOf(random), json: random.chance(0.8) },
      ],
    };
  }
  if (component === "front") {
    const call: Call = {
      tool: "member",
      takes: 0,
      member: random.pick(["clerk", "typist"]),
      task: memberScript(random),
    };
    return { turns: [{ ...turnOf(random), deltas: 0, calls: [call] }, turnOf(random)] };
  }
  return agentScript(random);
}

function agentScript(random: Random): Script {
  return script(random, 3, () => toolCalls(random));
}

/** Shorter turns, because a team's run has many of them. */
function memberScript(random: Random): Script {
  return script(random, 1, () => toolCalls(random));
}

function script(random: Random, most: number, calls: (turn: number) => readonly Call[]): Script {
  const turns: Turn[] = [];
  const rounds = random.chance(0.25) ? 0 : random.integer(1, most);
  for (let n = 0; n < rounds; n++) turns.push({ ...turnOf(random), calls: calls(n) });
  return { turns: [...turns, turnOf(random)] };
}

function turnOf(random: Random): Turn {
  if (random.chance(0.003)) return { deltas: random.integer(100, 300), size: random.pick([10, 10, 200]), delay: 4 };
  if (random.chance(0.04)) return { deltas: 3, size: 10, delay: random.integer(1_000, 2_500) };
  return {
    deltas: Math.floor(random.skewed(1, 10)),
    size: Math.floor(random.skewed(3, 300)),
    delay: random.pick([0, 1, 10, 40]),
    ...(random.chance(0.1) && { reasoning: random.integer(1, 3) }),
    ...(random.chance(0.06) && { fails: random.chance(0.7) ? "retry" : "cut" }),
  };
}

const usualTools: readonly ToolName[] = ["lookup", "charge", "charge", "charge", "pay", "note", "note"];

function toolCalls(random: Random): readonly Call[] {
  const calls: Call[] = [];
  for (let n = random.pick([1, 1, 2, 3]); n > 0; n--)
    calls.push({ tool: random.pick(usualTools), takes: takesOf(random) });
  if (random.chance(0.04)) calls.push({ tool: random.pick(["fragile", "fragile", "poison"]), takes: takesOf(random) });
  if (random.chance(0.03)) calls.push({ tool: "finish", takes: takesOf(random) });
  return calls;
}

function takesOf(random: Random): number {
  return Math.floor(random.skewed(0, random.chance(0.05) ? 5_000 : 300));
}

function memberCalls(random: Random, turn: number): readonly Call[] {
  const calls: Call[] = turn > 0 && random.chance(0.3) ? [...toolCalls(random)] : [];
  for (let n = random.pick([1, 1, 2]); n > 0; n--) {
    const member = random.pick(["clerk", "clerk", "quick", "office"]);
    const inner = (): readonly Call[] => [{ tool: "member", takes: 0, member: "typist", task: memberScript(random) }];
    const task = member === "office" ? script(random, 1, inner) : memberScript(random);
    calls.push({ tool: "member", takes: 0, member, task });
  }
  return calls;
}

function clientAction(random: Random, starts: number, processes: number): Action {
  const start = random.integer(0, starts - 1);
  const slot = random.integer(0, processes - 1);
  const at = random.between(20, random.chance(0.7) ? 1_500 : 6_000);
  const choice = random.fraction();
  if (choice < 0.25) return { kind: "follow", at, start, reader: readerOf(random) };
  if (choice < 0.5) {
    const away = random.chance(0.2) ? undefined : Math.floor(random.skewed(1, 3_000));
    return { kind: "drop", at, start, away };
  }
  if (choice < 0.82) {
    const place = random.integer(0, processes - 1);
    const when: When = random.chance(0.4) ? { call: "end", nth: random.integer(1, 2), phase: "sent" } : { at };
    return { kind: "cancel", when, slot: place, start, by: slot };
  }
  if (choice < 0.92) return { kind: "delete", at, start, slot, session: random.chance(0.3) };
  return { kind: "expire", at: at + 2_000, start, share: random.fraction() };
}

function faultAction(random: Random, dialect: "sqlite" | "postgres", processes: number): Action {
  const slot = random.integer(0, processes - 1);
  const restart = Math.floor(random.skewed(20, 6_000));
  const at = random.between(5, random.chance(0.7) ? 1_200 : 5_000);
  const replicas = dialect === "postgres";
  const choice = random.fraction();
  if (choice < 0.34) return { kind: "crash", slot, when: whenOf(random, at), restart };
  if (choice < 0.5) return { kind: "pause", slot, when: whenOf(random, at), lasts: pauseOf(random) };
  if (choice < 0.57) return { kind: "drain", at, slot, grace: random.integer(0, 400), restart };
  if (choice < 0.82) {
    const fault: CallFault = replicas
      ? random.pick(["again", "lost", "unanswered", "unanswered", "late", "slow", "slow-answer", "data"])
      : random.pick(["again", "slow", "data"]);
    return { kind: "call", slot, when: atCall(random), fault, lasts: random.skewed(5, 7_000) };
  }
  const lasts = random.skewed(50, 9_000);
  if (choice < 0.9 && replicas) return { kind: "outage", at, lasts, slot: random.chance(0.5) ? undefined : slot };
  return { kind: "noise", at: 0, lasts: 20_000, loss: random.pick([0, 0.1, 0.5, 1]), delay: random.pick([5, 50, 600]) };
}

function steerAction(random: Random, starts: readonly Action[], processes: number, n: number): Action {
  const start = random.pick(starts) as Extract<Action, { kind: "start" }>;
  const at = start.at + random.skewed(5, 3_000);
  const mode = random.chance(0.4) ? "interrupt" : "queue";
  return { kind: "steer", at, start: start.name, by: random.integer(0, processes - 1), mode, name: `m${n}` };
}

function publishAction(random: Random, version: number): Action {
  const component = random.pick([...versioned, "solo", "keeper", "desk"]);
  return { kind: "publish", at: random.skewed(0, 4_000), component, version: random.chance(0.8) ? version : undefined };
}

/** Faults that matter only in combination, or at one point. */
function motif(random: Random, starts: number, processes: number): Action[] {
  const slot = random.integer(0, processes - 1);
  const other = (slot + random.integer(1, processes - 1)) % processes;
  const choice = random.fraction();
  if (choice < 0.35) return comesBack(random, slot, other);
  if (choice < 0.6) {
    // A cancel arrives during the run's last flush.
    const when: AtCall = { call: "end", nth: random.integer(1, 2), phase: "sent" };
    const start = random.integer(0, 1);
    return [
      { kind: "call", slot, when, fault: "slow", lasts: random.between(30, 400) },
      { kind: "cancel", when, slot, start, by: random.pick([slot, other]) },
    ];
  }
  if (choice < 0.7) {
    // A process is paused for longer than its lease just before it starts a tool.
    const when: AtCall = { call: "tool", nth: random.pick([1, 1, 2]), phase: "done" };
    return [{ kind: "pause", slot, when, lasts: random.between(4_500, 7_000) }];
  }
  if (choice < 0.76) {
    // The database is unavailable while a model emits much output.
    const deltas = random.integer(200, 400);
    const script: Script = { turns: [{ deltas, size: 10, delay: 3 }] };
    const outage: Action = {
      kind: "outage",
      at: random.between(150, 500),
      lasts: random.between(900, 2_500),
      slot: undefined,
    };
    return [{ ...startAction(random, starts, processes), component: "solo", at: 20, script, kills: 0 }, outage];
  }
  // Several claims of a process fail, one after the other.
  return [1, 2, 3].map((n) => {
    const when: AtCall = { call: "claim", nth: n + random.integer(0, 3), phase: "sent" };
    const fault = random.pick<CallFault>(["late", "unanswered", "lost"]);
    return { kind: "call", slot, when, fault, lasts: random.between(200, 4_000) };
  });
}

/** A process resumes just when the process that took over its runs drains. */
function comesBack(random: Random, slot: number, other: number): Action[] {
  const at = random.between(100, 1_500);
  const restart = random.between(500, 4_000);
  const lasts = random.between(4_000, 7_000);
  const going = at + lasts + random.between(-600, 300);
  const pause: Action = { kind: "pause", slot, when: { at }, lasts };
  if (random.chance(0.3)) return [pause, { kind: "crash", slot: other, when: { at: going }, restart }];
  return [pause, { kind: "drain", at: going, slot: other, grace: 0, restart }];
}

/** Shorter than a lease, or long enough for others to take over. */
function pauseOf(random: Random): number {
  return random.chance(0.4) ? random.between(50, 2_500) : random.between(3_200, 7_000);
}

function whenOf(random: Random, at: number): When {
  return random.chance(0.35) ? { at } : atCall(random);
}

/** Calls with their weights, each with the maximum call number for a fault. */
const calls: readonly (readonly [CallName, number])[] = [
  ...([
    ["append", 40],
    ["append", 40],
    ["any", 80],
    ["step", 8],
    ["tool", 5],
    ["end", 3],
    ["end", 3],
  ] as const),
  ...([
    ["create", 2],
    ["claim", 4],
    ["renew", 4],
    ["cancel", 2],
    ["release", 2],
    ["segments", 4],
  ] as const),
];

function atCall(random: Random): AtCall {
  const [call, most] = random.pick(calls);
  return { call, nth: Math.floor(random.skewed(1, most + 1)), phase: random.pick(["sent", "done", "answered"]) };
}
