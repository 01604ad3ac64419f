/** Expensive reads: callers take turns. */
import { expect, test } from "vitest";
import { HeavyReads } from "../../src/http/listing/heavy-reads.ts";
import { open, type Principal } from "../../src/model/principal.ts";

const user = (userId: string): Principal => ({ ...open, kind: "user", userId }) as Principal;

test("four reads execute at a time, callers alternate, and a failed read frees its slot", async () => {
  const reads = new HeavyReads();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const read = (name: string): Promise<void> =>
    reads.take(user(name), () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const all = [...Array.from({ length: 10 }, () => read("a")), read("b"), read("b")];
  expect(begun).toEqual(["a", "a", "a", "a"]);
  for (let turn = 0; turn < 4; turn++) {
    ends[turn]!();
    await all[turn];
    await Promise.resolve();
  }
  expect(begun.slice(4)).toEqual(["a", "b", "a", "b"]);
  while (begun.length < all.length) {
    ends[begun.length - 4]!();
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const end of ends) end();
  await Promise.all(all);
  // A failed read frees its slot, too.
  for (let place = 0; place < 9; place++)
    await expect(reads.take(user("a"), () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  await expect(reads.take(user("a"), () => 7)).resolves.toBe(7);
});

test("more than 1,000 waiting reads of one caller are rejected with tooManyRequests", async () => {
  const reads = new HeavyReads();
  const { promise, resolve } = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 1_004 }, () => reads.take(user("a"), () => promise));
  await expect(reads.take(user("a"), () => promise)).rejects.toMatchObject({ code: "tooManyRequests" });
  resolve();
  await Promise.all([...waiting, reads.take(user("b"), () => promise)]);
});
