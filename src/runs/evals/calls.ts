/** Evals: who may create, see and delete them. */

import { isFactory } from "../../define/factory.ts";
import { isRemote } from "../../define/remote.ts";
import { userLimitsOf } from "../../engine/limits/user-limits.ts";
import { modelNames } from "../../engine/model-call/models.ts";
import { defaultRetryAfter, TroupeError } from "../../errors.ts";
import { type EvalRequest, evalJob } from "../../model/eval.ts";
import { type Principal, visibleSession } from "../../model/principal.ts";
import { kindTitles } from "../../model/run/run.ts";
import type { EvalPage, EvalQuery, StoredEval } from "../../store/contract/evals.ts";
import { checkShownVersion } from "../components/selection.ts";
import { type Created, createOnce, type Idempotency } from "../creations.ts";
import { checkIds, checkSize } from "../limits/sizes.ts";
import type { RunParts } from "../parts.ts";
import { authorize, startGrant } from "../permissions.ts";
import { judgeOf, noJudge } from "./runner.ts";
import { openScorers } from "./scorers.ts";

export type { EvalRequest, EvalType } from "../../model/eval.ts";
export { evalStatuses, evalTypes } from "../../model/eval.ts";
export type { EvalPage, EvalQuery, ListedEval, StoredEval } from "../../store/contract/evals.ts";
export type { EvalResult } from "./results.ts";

/** An eval, as a caller requests it. */
export interface GivenEval extends Omit<EvalRequest, "caller" | "grant" | "userId" | "userLimits"> {
  readonly name: string | undefined;
}

/** The calls on evals. Each throws `forbidden` for a credential that is for one session only. */
export interface EvalCalls {
  list(caller: Principal, query: Omit<EvalQuery, "maxBytes">): Promise<EvalPage>;
  /** @throws TroupeError `notFound` */
  find(caller: Principal, id: string): Promise<StoredEval>;
  /**
   * Stores an eval, and has it executed. The caller must have the permission to start runs of the component. With an idempotency key, a repeated
   * request gets the eval of the first one.
   * @throws TroupeError `notFound` (component, version), `forbidden` (also a draft), `badRequest` (what the type needs), `validation` (version, scorers, model), `tooLarge`,
   * `tooManyRequests` (unfinished evals), `unavailable`
   */
  create(caller: Principal, given: GivenEval, idempotency?: Idempotency): Promise<Created<StoredEval>>;
  /**
   * Waits for the end of an eval, but only for a limited time, and only while this process accepts runs. Undefined: the eval was deleted, or the
   * signal aborts.
   */
  wait(caller: Principal, id: string, signal: AbortSignal): Promise<StoredEval | undefined>;
  /** @throws TroupeError `notFound` */
  rename(caller: Principal, id: string, name: string): Promise<StoredEval>;
  /** Deletes evals that the caller may see, and cancels their runs; ignores others. */
  remove(caller: Principal, ids: readonly string[]): Promise<void>;
}

/** Max evals of a user that have not ended. Callers without a user share them. */
export const maxOpenEvals = 100;

/** Milliseconds for which a request waits for its eval. */
const maxWait = 120_000;

/** Milliseconds between two checks of a waiting request. */
const checkInterval = { min: 20, max: 500 } as const;

/** Makes the calls. */
export function evalCalls(parts: RunParts): EvalCalls {
  const { platform, runtime, engine } = parts;
  const { store, wake } = parts.evals;
  const { clock } = runtime;

  const find = async (caller: Principal, id: string): Promise<StoredEval> => {
    admit(caller);
    checkIds({ eval: id });
    const found = await store.find(caller, id);
    if (!found) throw new TroupeError("notFound", `Eval run with id '${id}' not found`);
    return found;
  };

  async function create(caller: Principal, { name, ...given }: GivenEval, evalId: string): Promise<StoredEval> {
    const { component, type, iterations, warmups, input } = given;
    const { kind, id } = component;
    if (given.version === undefined && !parts.registry.find(kind, id))
      throw new TroupeError("notFound", `${kindTitles[kind]} with id '${id}' not found`);
    const entry = await checkShownVersion(parts, caller, { kind, componentId: id }, given.version);
    checkNeeds(given);
    checkSize(parts, { message: input, media: [] });
    const { userId } = caller;
    const userLimits = userLimitsOf(parts.memories.requests.limits, caller, userId);
    const grant = startGrant(parts, caller, { kind, componentId: id });
    const request: EvalRequest = { ...given, caller, grant, userId, userLimits };
    const scorers = openScorers(parts, given.scorers ?? []);
    const judge = judgeOf(parts, request);
    const isJudged = type === "agent_as_judge" || (type === "accuracy" && scorers.length === 0);
    if (!judge && (isJudged || scorers.some(({ usesModel }) => usesModel)))
      throw new TroupeError("validation", noJudge);
    if (!engine.acceptance.open)
      throw new TroupeError("unavailable", engine.acceptance.reason, { retryAfter: engine.acceptance.retryAfter });
    const own = isFactory(entry) || isRemote(entry) ? { model: null, modelProvider: null } : modelNames(entry);
    const shown = given.judge && judge ? { model: judge.model.id, modelProvider: judge.model.provider } : own;
    const isStored = await store.create(
      {
        ...{ id: evalId, userId, component, componentName: entry.name, version: given.version ?? null, type },
        ...{ name: name ?? null, ...shown, total: iterations + warmups, request: JSON.stringify(request) },
      },
      { kind: evalJob, id: evalId, share: userId ?? "" },
      maxOpenEvals,
    );
    if (!isStored)
      throw new TroupeError(
        "tooManyRequests",
        `You have ${maxOpenEvals} evals that have not ended: wait until one ends, or delete one.`,
        { retryAfter: defaultRetryAfter },
      );
    wake();
    return await find(caller, evalId);
  }

  return {
    async list(caller, query) {
      admit(caller);
      return await store.list(caller, { ...query, maxBytes: platform.settings.maxListingBytes });
    },

    find,

    async create(caller, given, idempotency) {
      admit(caller);
      const { kind, id } = given.component;
      authorize(parts, caller, "start", { kind, componentId: id });
      const creation = {
        find: (key: string) => store.find(caller, key),
        create: (key: string) => create(caller, given, key),
      };
      return await createOnce(parts, { caller, idempotency }, creation);
    },

    async wait(caller, id, signal) {
      const deadline = clock.monotonic() + maxWait;
      for (let pause: number = checkInterval.min; ; pause = Math.min(pause * 1.5, checkInterval.max)) {
        await clock.sleep(pause, signal);
        if (signal.aborted) return undefined;
        const isOpen = await store.isOpen(id);
        if (!isOpen || clock.monotonic() > deadline || !engine.acceptance.open) return await store.find(caller, id);
      }
    },

    async rename(caller, id, name) {
      admit(caller);
      checkIds({ eval: id });
      if (!(await store.rename(caller, id, name)))
        throw new TroupeError("notFound", `Eval run with id '${id}' not found`);
      return await find(caller, id);
    },

    async remove(caller, ids) {
      admit(caller);
      await store.remove(caller, [...new Set(ids)]);
    },
  };
}

/** @throws TroupeError `forbidden` */
function admit(caller: Principal): void {
  if (visibleSession(caller) !== null)
    throw new TroupeError("forbidden", "The credential is for one session only: it does not permit to access evals.");
}

/** @throws TroupeError `badRequest` */
function checkNeeds({
  type,
  expectedOutput,
  scorers = [],
  criteria,
  expectedTools,
  expectedArguments,
}: Omit<GivenEval, "name">): void {
  const hasScorers = scorers.length > 0;
  if (type === "accuracy" && expectedOutput === undefined && !hasScorers)
    throw new TroupeError("badRequest", "expected_output is required for accuracy evaluation");
  if (type === "agent_as_judge" && criteria === undefined)
    throw new TroupeError("badRequest", "criteria is required for agent-as-judge evaluation");
  if (type === "reliability" && expectedTools === undefined && expectedArguments === undefined)
    throw new TroupeError("badRequest", "expected_tool_calls is required for reliability evaluations");
  if (hasScorers && type !== "accuracy")
    throw new TroupeError("badRequest", "scorers are for accuracy evaluations only");
}
