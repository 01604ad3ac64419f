/** When an idle server releases memory. */
import { expect, test } from "vitest";
import { IdleMemory } from "../../src/platform/idle-memory.ts";
import { FakeClock } from "../support/fake-clock.ts";

const MiB = 1024 * 1024;

interface Opened {
  readonly state: { isBusy: boolean; utilization: number; resident: number; releases: number };
  readonly memory: IdleMemory;
  /** Lets some intervals between checks pass. */
  readonly pass: (intervals: number) => void;
}

function openIdleMemory(): Opened {
  const clock = new FakeClock();
  const state = { isBusy: false, utilization: 0, resident: 100 * MiB, releases: 0 };
  const memory = new IdleMemory({
    clock,
    isBusy: () => state.isBusy,
    utilization: () => state.utilization,
    resident: () => state.resident,
    release: () => {
      state.releases += 1;
      state.resident = 110 * MiB;
    },
  });
  memory.start();
  const pass = (intervals: number): void => {
    for (let count = 0; count < intervals; count++) clock.advance(5_000);
  };
  return { state, memory, pass };
}

test("an idle process releases memory once after a burst, and again only after it has grown again", () => {
  const { state, pass } = openIdleMemory();
  state.resident = 600 * MiB;
  pass(1);
  expect(state.releases).toBe(0);
  pass(1);
  expect(state.releases).toBe(1);
  pass(10);
  expect(state.releases).toBe(1);
  state.resident = 300 * MiB;
  pass(1);
  expect(state.releases).toBe(2);
  state.resident = 300 * MiB;
  pass(5);
  expect(state.releases).toBe(2);
  pass(1);
  expect(state.releases).toBe(3);
});

test("a process with live runs releases nothing, nor one whose event loop is busy", () => {
  const { state, pass } = openIdleMemory();
  state.resident = 600 * MiB;
  state.isBusy = true;
  pass(5);
  state.isBusy = false;
  state.utilization = 0.4;
  pass(5);
  expect(state.releases).toBe(0);
  state.utilization = 0.01;
  pass(2);
  expect(state.releases).toBe(1);
});

test("a process that did not grow releases nothing", () => {
  const { state, pass } = openIdleMemory();
  state.resident = 110 * MiB;
  pass(5);
  expect(state.releases).toBe(0);
});

test("a closed server releases nothing", () => {
  const { state, memory, pass } = openIdleMemory();
  memory.close();
  state.resident = 600 * MiB;
  pass(5);
  expect(state.releases).toBe(0);
});
