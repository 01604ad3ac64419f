/** Push targets of tasks as clients keep them: made, read, listed, deleted. */

import type { PushTarget, PushVersion } from "../../model/push.ts";
import type { Randomness } from "../../model/runtime.ts";
import type { PushStore } from "../../store/push-seam.ts";
import { A2aFault } from "../standard/faults.ts";
import type { GivenTarget } from "../standard/read.ts";
import { AddressRefused, type AddressRules, readPushUrl } from "./addresses.ts";

/** What targets are kept with. */
export interface PushTargetsParts {
  readonly pushes: PushStore;
  readonly rules: AddressRules;
  readonly randomness: Randomness;
  /** Most targets of one task. */
  readonly most: number;
  /** Told of a run that somebody is told of. */
  readonly watch: (runKey: number) => void;
}

/** Targets are for who has found the task's run as the caller that it is for. */
export class PushTargets {
  readonly #parts: PushTargetsParts;

  constructor(parts: PushTargetsParts) {
    this.#parts = parts;
  }

  /** A target as a client gives it. @throws A2aFault for an address that is not called */
  read(given: GivenTarget, version: PushVersion, usualId?: string): PushTarget {
    const { rules, randomness } = this.#parts;
    const { id = usualId ?? randomness.uuid(), url, token, schemes, credentials } = given;
    try {
      readPushUrl(url, rules);
    } catch (error) {
      if (!(error instanceof AddressRefused)) throw error;
      const text = `The address of the push notification config cannot be used: ${error.message}`;
      throw new A2aFault("invalidParams", text, { about: { field: "url" } });
    }
    const isGiven = schemes.length > 0 || credentials !== undefined;
    const authentication = isGiven ? { schemes, credentials } : undefined;
    return { id, url, token, authentication, version };
  }

  /** Keeps a target of a run, whose events up to `cursor` it is not told of. @throws A2aFault */
  async put(runKey: number, target: PushTarget, cursor: number): Promise<void> {
    const { pushes, most } = this.#parts;
    const outcome = await pushes.put(runKey, target, { cursor, most });
    if (outcome === "gone") throw new A2aFault("taskNotFound", "Task not found");
    if (outcome === "full") {
      throw new A2aFault(
        "invalidParams",
        `The task has ${most} push notification configs, which is the most it can have`,
      );
    }
    this.watch(runKey);
  }

  /** Changes of the run are told at once from now on. */
  watch(runKey: number): void {
    this.#parts.watch(runKey);
  }

  /** The target of an id, or the only one there is. @throws A2aFault */
  async find(runKey: number, id: string | undefined): Promise<PushTarget> {
    const { pushes } = this.#parts;
    const [only, ...more] =
      id === undefined ? await pushes.list(runKey, { limit: 2 }) : [await pushes.find(runKey, id)];
    if (only && more.length === 0) return only;
    throw new A2aFault("taskNotFound", "Push notification config not found");
  }

  /** A page in the order of ids, and the token of the next one. */
  async list(
    runKey: number,
    { pageSize = this.#parts.most, pageToken }: { pageSize?: number | undefined; pageToken?: string | undefined },
  ): Promise<{ targets: readonly PushTarget[]; nextPageToken: string }> {
    const limit = Math.min(pageSize, this.#parts.most);
    const found = await this.#parts.pushes.list(runKey, { limit: limit + 1, after: pageToken });
    const targets = found.slice(0, limit);
    return { targets, nextPageToken: found.length > limit ? (targets.at(-1)?.id ?? "") : "" };
  }

  /** Deletes it; one that is gone stays gone. */
  async remove(runKey: number, id: string): Promise<void> {
    await this.#parts.pushes.remove(runKey, id);
  }
}
