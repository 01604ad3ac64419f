/** Creates, reads, lists and deletes the push targets of runs. */
import { TroupeError } from "../../errors.ts";
import type { PushService, PushTarget, PushTargetPage, PushVersion, RequestedTarget } from "../../model/push.ts";
import type { Randomness } from "../../model/runtime.ts";
import type { PushStore } from "../../store/contract/push-targets.ts";
import type { Store } from "../../store/contract/store.ts";
import { AddressRejected, type AddressRules, readTargetUrl } from "../outbound/addresses.ts";

/** The services and limits of push targets. */
export interface PushTargetsParts {
  readonly pushes: PushStore;
  readonly store: Pick<Store, "head">;
  readonly rules: AddressRules;
  readonly randomness: Randomness;
  /** Maximum number of targets per run. */
  readonly maxTargets: number;
  /** Called with each run that gets a push target. */
  readonly watch: (runKey: number) => void;
}

/** Maximum length of texts that go into a notification's headers, in characters. */
const maxHeaderLength = 4_096;

/** The allowed characters of a header value (RFC 9110 section 5.5), and of a scheme's name (section 11.1). */
const headerText = /^[\x20-\x7e]*$/;
const schemeName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;

export class PushTargets implements PushService {
  readonly #parts: PushTargetsParts;

  constructor(parts: PushTargetsParts) {
    this.#parts = parts;
  }

  read(given: RequestedTarget, version: PushVersion, defaultId?: string): PushTarget {
    const { rules, randomness } = this.#parts;
    const { id = defaultId ?? randomness.uuid(), url, token, schemes, credentials } = given;
    try {
      readTargetUrl(url, rules);
    } catch (error) {
      if (!(error instanceof AddressRejected)) throw error;
      throw invalidTarget(`its url: ${error.message}`);
    }
    for (const [name, text = ""] of Object.entries({ token, credentials })) {
      if (text.length > maxHeaderLength)
        throw invalidTarget(`its ${name} is longer than ${maxHeaderLength} characters`);
      if (!headerText.test(text)) throw invalidTarget(`its ${name} must be printable ASCII`);
    }
    if (!schemes.every((scheme) => schemeName.test(scheme)))
      throw invalidTarget("its schemes must be names of schemes");
    const isGiven = schemes.length > 0 || credentials !== undefined;
    return { id, url, token, authentication: isGiven ? { schemes, credentials } : undefined, version };
  }

  async put(runKey: number, target: PushTarget): Promise<void> {
    const { pushes, store, maxTargets } = this.#parts;
    const head = await store.head(runKey);
    const outcome = head ? await pushes.put(runKey, target, { cursor: head.nextIndex - 1, maxTargets }) : "gone";
    if (outcome === "gone") throw new TroupeError("notFound", "Run not found");
    if (outcome === "full") throw invalidTarget(`the task has ${maxTargets} of them, which is the most it can have`);
    this.watch(runKey);
  }

  watch(runKey: number): void {
    this.#parts.watch(runKey);
  }

  async find(runKey: number, id: string | undefined): Promise<PushTarget> {
    const { pushes } = this.#parts;
    const found = id === undefined ? await pushes.list(runKey, { limit: 2 }) : [await pushes.find(runKey, id)];
    const [only, ...more] = found;
    if (only && more.length === 0) return only;
    throw new TroupeError("notFound", "Push notification config not found");
  }

  async list(
    runKey: number,
    { pageSize = this.#parts.maxTargets, pageToken }: { pageSize?: number | undefined; pageToken?: string | undefined },
  ): Promise<PushTargetPage> {
    const limit = Math.min(pageSize, this.#parts.maxTargets);
    const found = await this.#parts.pushes.list(runKey, { limit: limit + 1, after: pageToken });
    const targets = found.slice(0, limit);
    return { targets, nextPageToken: found.length > limit ? (targets.at(-1)?.id ?? "") : "" };
  }

  async remove(runKey: number, id: string): Promise<void> {
    await this.#parts.pushes.remove(runKey, id);
  }
}

function invalidTarget(why: string): TroupeError {
  return new TroupeError("validation", `The push notification config cannot be taken: ${why}`);
}
