/** A process's lease, and when the process looks for expired leases of others. */
import { expect, test } from "vitest";
import { Lease } from "../../src/engine/process/lease.ts";
import { intervalFactor } from "../../src/model/interval-factor.ts";
import { defaultSettings } from "../../src/model/settings.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testRuntime } from "../support/runtime.ts";

const settings = { ...defaultSettings, leaseDuration: 6_000, leaseRenewInterval: 2_000 };

/** A lease whose renewals report the given times until the first lease of another process expires. */
async function leaseAmong(lapses: (number | null)[]) {
  const clock = new FakeClock();
  const replica: Pick<Store, "capabilities" | "renewProcess" | "endProcess"> = {
    capabilities: { dialect: "postgres", label: "test", replicas: true },
    renewProcess: async () => ({ inTime: true, liveProcesses: 2, nextExpiry: lapses.shift() ?? null }),
    endProcess: async () => undefined,
  };
  const lease = new Lease({ store: replica as Store, settings, processId: "p", runtime: { ...testRuntime, clock } });
  const looks: number[] = [];
  lease.onOthersLapse(() => looks.push(clock.monotonic()));
  await lease.start();
  /** Advances the clock in small steps; all work that a step begins ends before the next step. */
  const pass = async (milliseconds: number): Promise<void> => {
    for (let passed = 0; passed < milliseconds; passed += 10) {
      clock.advance(10);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { lease, looks, pass };
}

test("a lease that expires before the next renewal triggers one check, and only after its expiry", async () => {
  const { lease, looks, pass } = await leaseAmong([4_000, 3_000, 1_000, null]);
  await pass(4_990);
  expect(looks).toEqual([]);
  await pass(1_000);
  expect(looks).toEqual([5_020]);
  await pass(10_000);
  expect(looks).toHaveLength(1);
  await lease.close();
});

test("a lease that is renewed meanwhile, or that expires after this process has closed, triggers no check", async () => {
  const { lease, looks, pass } = await leaseAmong([2_000, 6_000, 1_500]);
  await pass(3_990);
  expect(looks).toEqual([]);
  await pass(20);
  await lease.close();
  await pass(5_000);
  expect(looks).toEqual([]);
});

test("the interval factor grows with the number of processes, from 1 up to 6", () => {
  expect([0, 1, 2, 4, 100].map(intervalFactor)).toEqual([1, 1, 2, 4, 6]);
});
