/** One run and one fault per history: every kind of fault at every call that the run makes to the store. */
import { describe, expect, test } from "vitest";
import { baseSettings } from "./generate.ts";
import { runHistory } from "./history.ts";
import type { Action, CallFault, Plan, Script } from "./plan.ts";

const task: Script = { turns: [{ deltas: 2, size: 5, delay: 5 }] };
const scripts: Readonly<Record<string, Script>> = {
  solo: {
    turns: [
      {
        ...{ deltas: 2, size: 5, delay: 20, reasoning: 1 },
        calls: [
          { tool: "charge", takes: 30 },
          { tool: "note", takes: 10 },
          { tool: "lookup", takes: 300 },
        ],
      },
      { deltas: 2, size: 5, delay: 400 },
    ],
  },
  desk: {
    turns: [
      {
        ...{ deltas: 0, size: 0, delay: 0 },
        calls: [
          {
            tool: "member",
            takes: 0,
            member: "clerk",
            task: { turns: [{ deltas: 1, size: 3, delay: 0, calls: [{ tool: "charge", takes: 40 }] }, ...task.turns] },
          },
          {
            tool: "member",
            takes: 0,
            member: "office",
            task: {
              turns: [
                { deltas: 0, size: 0, delay: 0, calls: [{ tool: "member", takes: 0, member: "typist", task }] },
                ...task.turns,
              ],
            },
          },
        ],
      },
      { deltas: 2, size: 5, delay: 10 },
    ],
  },
  brittle: { turns: [{ deltas: 2, size: 5, delay: 5 }] },
};

function planOf(seed: number, component: string, fault: Action, dispatch: boolean): Plan {
  const start: Action = {
    ...{ kind: "start", name: 0, at: 10, slot: 0, component, session: "s", script: scripts[component]!, dispatch },
    ...{ losesAnswer: false, insists: true, kills: 0, reader: { slow: 0, reads: true } },
  };
  const others: Action[] = [40, 90, 500].map((at) => ({
    kind: "follow",
    at,
    start: 0,
    reader: { slow: 0, reads: true },
  }));
  return {
    ...{
      seed,
      dialect: "postgres",
      processes: 2,
      settings: baseSettings,
      clockErrors: [-90, 50],
      deploys: false,
      latency: 3,
    },
    actions: [start, ...others, fault],
  };
}

const phases = ["sent", "done", "answered"] as const;
const callFaults: readonly CallFault[] = ["again", "lost", "unanswered", "late", "slow", "slow-answer"];

/** Faults at a call. Pauses and delays last longer than a lease. */
function faultsAt(call: "append" | "claim" | "any", nth: number, slot: number): Action[] {
  const lasts = 5_000;
  return [
    ...phases.map((phase): Action => ({ kind: "crash", slot, when: { call, nth, phase }, restart: 400 })),
    ...phases.map((phase): Action => ({ kind: "pause", slot, when: { call, nth, phase }, lasts })),
    ...callFaults.map((fault): Action => ({ kind: "call", slot, when: { call, nth, phase: "sent" }, fault, lasts })),
  ];
}

async function sweep(
  component: string,
  call: "append" | "claim" | "any",
  most: number,
  dispatch: boolean,
): Promise<void> {
  for (let nth = 1; nth <= most; nth++) {
    for (const slot of dispatch ? [0, 1] : [0]) {
      for (const fault of faultsAt(call, nth, slot)) {
        const { violation, world } = await runHistory(planOf(nth, component, fault, dispatch));
        const told = JSON.stringify(fault);
        expect(
          violation && `${told}: ${violation.check}: ${violation.message}\n${world.trace.tail(60).join("\n")}`,
        ).toBeUndefined();
        const ends = [...world.guarantees.roots.values()].map(({ status }) => status);
        expect(ends, told).toEqual(["COMPLETED"]);
      }
    }
  }
}

describe("a run completes without a violation after one fault at", () => {
  test.each([
    ["solo", "append", 22],
    ["desk", "append", 26],
  ] as const)("each flush (%s)", (component, call, most) => sweep(component, call, most, false), 120_000);

  test("each claim of a background run", () => sweep("solo", "claim", 6, true), 120_000);

  test("each call of any kind", () => sweep("solo", "any", 40, true), 120_000);
});
