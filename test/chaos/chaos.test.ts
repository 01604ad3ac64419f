/** The short form of `npm run chaos`. */
import { expect, test } from "vitest";
import { runChaos } from "./chaos.ts";
import { noFaults } from "./verdict.ts";

test("three replicas on one Postgres with random kills, stops and shutdowns for 20 s lose, repeat and contradict no event [L1] [L2] [L3] [L5] [L7]", {
  timeout: 300_000,
}, async () => {
  const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);
  const { verdict, seen, faults } = await runChaos({
    milliseconds: 20_000,
    replicas: 3,
    clients: 8,
    seed,
    pause: [300, 1_500],
  });
  expect({ seed, ...verdict }).toEqual({ seed, ...noFaults() });
  expect(Math.min(seen.completed, seen.effects, seen.tokens, ...Object.values(faults))).toBeGreaterThan(0);
});

test("three replicas lose, repeat and contradict no event when the primary is killed and its synchronous standby takes over [L1] [L2] [L3] [L5] [L7]", {
  timeout: 300_000,
}, async () => {
  const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);
  const { verdict, seen, faults } = await runChaos({
    milliseconds: 20_000,
    replicas: 3,
    clients: 8,
    seed,
    pause: [300, 1_500],
    failover: true,
  });
  expect({ seed, ...verdict }).toEqual({ seed, ...noFaults() });
  expect(Math.min(seen.completed, seen.tokens, faults.database ?? 0)).toBeGreaterThan(0);
});

test("a rolling update of three replicas from the previous release, with kills and outages, loses, repeats and contradicts no event [L1] [L2] [L3] [L5] [L7]", {
  timeout: 300_000,
}, async () => {
  const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);
  const { verdict, seen, overlap } = await runChaos({
    milliseconds: 30_000,
    replicas: 3,
    clients: 8,
    seed,
    pause: [1_000, 4_000],
    isUpdate: true,
  });
  expect({ seed, ...verdict }).toEqual({ seed, ...noFaults() });
  expect(Math.min(seen.completed, seen.effects, overlap)).toBeGreaterThan(0);
});
