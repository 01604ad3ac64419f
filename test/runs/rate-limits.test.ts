/** The callers that share a rate limit. */
import { expect, test } from "vitest";
import { open, operator, outsider, type Principal } from "../../src/model/principal.ts";
import { limitStarts, takeRequest } from "../../src/runs/limits/rates.ts";

const user = (userId: string | null): Principal => ({ ...outsider, kind: "user", userId });

test("callers of different kinds and names never share a bucket, whatever their user ids are", async () => {
  const buckets: string[] = [];
  const parts = {
    platform: { settings: { maxRequestsPerSecond: 1, maxRunsPerMinute: 1 } },
    rates: {
      take: (bucket: string) => {
        buckets.push(bucket);
        return Promise.resolve({ isTaken: true, untilFull: 0 });
      },
    },
  } as unknown as Parameters<typeof takeRequest>[0];
  const address = "10.0.0.1";
  const named = ["alice", "alice bob", "", " ", "10.0.0.1", "at 10.0.0.1", "address 10.0.0.1", "requests user alice"];
  const callers = [user(null), open, operator, outsider, { ...user("alice"), kind: "service-account" as const }];
  for (const caller of [...callers, ...named.map(user)]) {
    await takeRequest(parts, caller, address);
    if (caller.userId !== null) await limitStarts(parts, caller, undefined, async () => ({}));
  }
  await limitStarts(parts, open, "alice", async () => ({}));
  expect(new Set(buckets).size).toBe(buckets.length);
});
