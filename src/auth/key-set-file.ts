/** A key set in a file. It is read again when the file changes, so replacing the file rotates the keys. */
import { readFileSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { ConfigurationError } from "../errors.ts";
import type { Algorithm } from "../model/authorization.ts";
import { mismatchOf } from "../model/key-fit.ts";
import type { Runtime } from "../model/runtime.ts";
import type { KeyHint, KeySource } from "./key-source.ts";
import { permitsAlgorithm, toKeySet, type VerificationKey, warnOfShortSecrets } from "./keys.ts";

/** Minimum time in milliseconds between checks of the file while its keys verify tokens. */
const checkInterval = 1_000;

/** Opens the file. @throws ConfigurationError if it cannot be read, or has no key for the algorithm */
export function keySetFile(path: string, algorithm: Algorithm, runtime: Runtime): KeySource {
  const title = `the key set ${path}`;
  const usable = (keys: readonly VerificationKey[]): readonly VerificationKey[] =>
    keys.filter((key) => permitsAlgorithm(key, algorithm) && mismatchOf(key.key, algorithm) === undefined);
  const listeners: (() => void)[] = [];
  let keys: readonly VerificationKey[] = [];
  let fileVersion = "";
  try {
    fileVersion = versionOf(statSync(path, { bigint: true }));
    keys = usable(toKeySet(readFileSync(path, "utf8"), path));
  } catch (error) {
    throw new ConfigurationError(`Authorization: ${title} cannot be read: ${reasonOf(error)}.`);
  }
  if (keys.length === 0) throw new ConfigurationError(`Authorization: ${title} has no key for ${algorithm}.`);
  warnOfShortSecrets(keys, runtime);

  let lastCheck = runtime.clock.monotonic();
  let current: Promise<boolean> | undefined;
  let next: Promise<boolean> | undefined;

  async function reload(): Promise<boolean> {
    lastCheck = runtime.clock.monotonic();
    try {
      const now = versionOf(await stat(path, { bigint: true }));
      if (now === fileVersion) return false;
      const found = usable(toKeySet(await readFile(path, "utf8"), path));
      if (found.length === 0) throw new Error(`it has no key for ${algorithm}`);
      keys = found;
      warnOfShortSecrets(keys, runtime);
      // Set after the keys were read, so that a file that was incomplete is read again.
      fileVersion = now;
      for (const listener of listeners) listener();
      return true;
    } catch (error) {
      const reason = reasonOf(error);
      runtime.log.warn(
        { file: path, reason },
        "The key set could not be read again; the server keeps the previous keys.",
      );
      return false;
    }
  }

  function start(): Promise<boolean> {
    current = reload().finally(() => {
      current = undefined;
    });
    return current;
  }

  return {
    title,
    candidates: ({ kid }: KeyHint) => {
      const named = kid === undefined ? [] : keys.filter((key) => key.kid === kid);
      return named.length > 0 ? named : keys.filter((key) => key.kid === undefined);
    },
    refresh() {
      if (current === undefined) return start();
      // The read in progress may have started before the file was replaced.
      next ??= current.then(() => {
        next = undefined;
        return start();
      });
      return next;
    },
    watch() {
      if (current === undefined && runtime.clock.monotonic() - lastCheck >= checkInterval) void start();
    },
    get pendingRead() {
      return current;
    },
    get isEmpty() {
      return keys.length === 0;
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

interface FileStatus {
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly size: bigint;
  readonly ino: bigint;
}

function versionOf({ mtimeNs, ctimeNs, size, ino }: FileStatus): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** Returns the reason of a failure, without a parser's message, which would quote the file. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return "it is not JSON";
  return error instanceof Error ? error.message : String(error);
}
