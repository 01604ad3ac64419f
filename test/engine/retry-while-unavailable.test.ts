import { expect, test } from "vitest";
import { RunStopped } from "../../src/engine/loops/contract.ts";
import { retryWhileUnavailable } from "../../src/engine/process/retry-while-unavailable.ts";
import { TroupeError } from "../../src/errors.ts";
import { defaultSettings } from "../../src/model/settings.ts";
import { fakeRuntime } from "../support/fake-clock.ts";

const away = new TroupeError("unavailable", "The database is not available");

function failing(errors: readonly Error[]): () => Promise<string> {
  const left = [...errors];
  return async () => {
    const error = left.shift();
    if (error) throw error;
    return "read";
  };
}

test("retryWhileUnavailable repeats a read while the database is unavailable, and throws any other error", async () => {
  const runtime = fakeRuntime();
  const parts = { runtime, settings: defaultSettings };
  const { signal } = new AbortController();
  expect(await retryWhileUnavailable(parts, signal, failing([away, away]))).toBe("read");
  expect(runtime.clock.slept).toEqual([defaultSettings.followPollInterval, defaultSettings.followPollInterval]);
  await expect(retryWhileUnavailable(parts, signal, failing([new Error("a bug")]))).rejects.toThrow("a bug");
});

test("retryWhileUnavailable rejects as soon as the run is stopped", async () => {
  const controller = new AbortController();
  const parts = { runtime: fakeRuntime(), settings: defaultSettings };
  const reading = retryWhileUnavailable(parts, controller.signal, () => {
    controller.abort(new RunStopped({ kind: "lost" }));
    throw away;
  });
  await expect(reading).rejects.toMatchObject({ reason: { kind: "lost" } });
});
