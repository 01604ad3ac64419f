/** Creations with one Idempotency-Key that are in progress at the same time. */
import { expect, test } from "vitest";
import { TroupeError } from "../../src/errors.ts";
import { open } from "../../src/model/principal.ts";
import { defaultSettings } from "../../src/model/settings.ts";
import { createOnce } from "../../src/runs/creations.ts";
import { eachStore, openOn } from "../contract/store-fixtures.ts";
import { testRuntime } from "../support/runtime.ts";

const request = { caller: open, idempotency: { key: "k", fingerprint: "asked" } };

eachStore("creations at the same time", (openDatabase) => {
  /** Requests that create things, each with the same key. */
  async function requests() {
    const { store } = await openOn(await openDatabase());
    const parts = { store, runtime: testRuntime, platform: { settings: defaultSettings } };
    const made = new Set<string>();
    const find = async (id: string) => (made.has(id) ? id : undefined);
    const send = (create: (id: string) => Promise<string>) =>
      createOnce(parts as unknown as Parameters<typeof createOnce>[0], request, { find, create });
    const create = async (id: string): Promise<string> => {
      made.add(id);
      return id;
    };
    return { made, send, create };
  }

  const rejected = new TroupeError("tooManyRequests", "Too many.");

  test("a rejected request keeps the key that an equal request has used meanwhile", async () => {
    const { made, send, create } = await requests();
    const first = send(async () => {
      await send(create);
      throw rejected;
    });
    await expect(first).rejects.toBe(rejected);
    const [id] = made;
    expect(await send(create)).toEqual({ stored: id, isRepeated: true });
    expect(made.size).toBe(1);
  });

  test("a rejected request frees its key if nothing was created", async () => {
    const { made, send, create } = await requests();
    let reserved = "";
    const first = send(async (id) => {
      reserved = id;
      throw rejected;
    });
    await expect(first).rejects.toBe(rejected);
    expect(await send(create)).toMatchObject({ isRepeated: false });
    expect([made.size, made.has(reserved)]).toEqual([1, false]);
  });
});
