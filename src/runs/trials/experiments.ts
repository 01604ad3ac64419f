/** Experiments: who may create, see, cancel and delete them. A durable job executes each. */
import { userLimitsOf } from "../../engine/limits/user-limits.ts";
import { defaultRetryAfter, TroupeError } from "../../errors.ts";
import { ownSpace, type Principal } from "../../model/principal.ts";
import type { ExperimentDefinition, ExperimentSummary } from "../../model/trial.ts";
import type { KeyedPage, RowPage } from "../../store/contract/datasets.ts";
import type { ComparedRow, ExperimentQuery, StoredExperiment } from "../../store/contract/experiments.ts";
import { checkShownVersion } from "../components/selection.ts";
import { type Created, createOnce, type Idempotency } from "../creations.ts";
import { judgeOf, noJudge } from "../evals/runner.ts";
import { openScorers } from "../evals/scorers.ts";
import type { ComponentName } from "../find.ts";
import type { RunParts } from "../parts.ts";
import { authorize, startGrant } from "../permissions.ts";
import { checkSessionless } from "./datasets.ts";
import { summaryOf } from "./summary.ts";

export type {
  ComparedRow,
  ExperimentQuery,
  ExperimentResult,
  StoredExperiment,
} from "../../store/contract/experiments.ts";

/** Max rows of an experiment. Each row is two runs. */
export const maxExperimentRows = 1_000;

/** Max experiments of a user that have not ended. Callers without a user share them. */
const maxOpenExperiments = 20;

/** Runs that an experiment executes concurrently: by default, and at most. */
export const parallelRuns = { usual: 4, most: 16 } as const;

/** An experiment that a caller creates. */
export interface GivenExperiment
  extends ComponentName,
    Pick<ExperimentDefinition, "name" | "versions" | "scorers" | "parallel"> {
  readonly datasetId: string;
  /** The first rows of the dataset. Undefined: all of them. */
  readonly maxRows: number | undefined;
}

/** An experiment with its results so far. */
export interface ShownExperiment extends StoredExperiment {
  readonly summary: ExperimentSummary;
}

/** Calls about experiments. Callers who are isolated have experiments of their own. */
export interface ExperimentCalls {
  /**
   * Stores an experiment, and has it executed. The caller needs the permission to start runs of the component. With an idempotency key, a repeated
   * request gets the experiment of the first one.
   * @throws TroupeError `notFound` (dataset, component, version), `forbidden` (also a draft), `validation` (version, scorers, number of rows), `tooManyRequests`
   * (unfinished experiments), `unavailable`
   */
  create(caller: Principal, given: GivenExperiment, idempotency?: Idempotency): Promise<Created<StoredExperiment>>;
  /** The newest first. */
  list(caller: Principal, query: ExperimentQuery): Promise<KeyedPage<StoredExperiment>>;
  /** An experiment with a page of its rows and their results. @throws TroupeError `notFound` */
  rows(
    caller: Principal,
    id: string,
    page: Omit<RowPage, "maxBytes">,
  ): Promise<KeyedPage<ComparedRow> & { readonly experiment: ShownExperiment }>;
  /** Cancels an experiment with its runs. @throws TroupeError `notFound`, `conflict` if it has ended */
  cancel(caller: Principal, id: string): Promise<StoredExperiment>;
  /** Deletes an experiment with its results; its runs in progress are cancelled, and the others stay. @throws TroupeError `notFound` */
  delete(caller: Principal, id: string): Promise<void>;
}

/** Binds the calls to their parts. */
export function experimentCalls(parts: RunParts): ExperimentCalls {
  const { platform, engine } = parts;
  const { experiments, datasets } = parts.trials;

  async function find(caller: Principal, id: string): Promise<StoredExperiment> {
    checkSessionless(caller);
    const found = await experiments.find(caller, id);
    if (!found) throw new TroupeError("notFound", "Experiment not found");
    return found;
  }

  /** @throws TroupeError `validation` */
  function checkScorers({ kind, componentId, scorers }: GivenExperiment, caller: Principal): void {
    const open = openScorers(parts, scorers);
    const payer = { component: { kind, id: componentId }, judge: undefined, caller, userId: caller.userId };
    if (open.some(({ usesModel }) => usesModel) && !judgeOf(parts, { ...payer, userLimits: [] }))
      throw new TroupeError("validation", noJudge);
  }

  async function create(caller: Principal, given: GivenExperiment, id: string): Promise<StoredExperiment> {
    const { kind, componentId, datasetId, name, versions, scorers, parallel } = given;
    for (const version of [versions.a, versions.b])
      await checkShownVersion(parts, caller, { kind, componentId }, version);
    checkScorers(given, caller);
    const dataset = await datasets.find(caller, datasetId);
    if (!dataset) throw new TroupeError("notFound", "Dataset not found");
    const maxRows = Math.min(given.maxRows ?? dataset.rows, dataset.rows);
    if (maxRows > maxExperimentRows)
      throw new TroupeError(
        "validation",
        `The experiment would start ${maxRows * 2} runs: ${maxRows} rows on two sides. The maximum is ${maxExperimentRows * 2} runs: set max_rows to ${maxExperimentRows} or less, or divide the dataset.`,
      );
    const { acceptance } = engine;
    if (!acceptance.open)
      throw new TroupeError("unavailable", acceptance.reason, { retryAfter: acceptance.retryAfter });
    const userLimits = userLimitsOf(parts.memories.requests.limits, caller, caller.userId);
    const experiment = {
      ...{ id, owner: ownSpace(caller), userId: caller.userId, datasetId, kind, componentId, maxRows },
      definition: { name, versions, scorers, parallel, caller, grant: startGrant(parts, caller, given), userLimits },
      share: caller.userId ?? "",
    };
    const outcome = await experiments.create(experiment, maxOpenExperiments);
    if (outcome === "empty") throw new TroupeError("validation", "The dataset has no rows.");
    if (outcome === "full")
      throw new TroupeError(
        "tooManyRequests",
        `You have ${maxOpenExperiments} experiments that have not ended: wait until one ends, or cancel one.`,
        { retryAfter: defaultRetryAfter },
      );
    parts.trials.wake();
    return await find(caller, id);
  }

  return {
    async create(caller, given, idempotency) {
      checkSessionless(caller);
      authorize(parts, caller, "start", given);
      return await createOnce(
        parts,
        { caller, idempotency },
        { find: (id) => experiments.find(caller, id), create: (id) => create(caller, given, id) },
      );
    },

    async list(caller, query) {
      checkSessionless(caller);
      return await experiments.list(caller, query);
    },

    async rows(caller, id, page) {
      const experiment = await find(caller, id);
      const summary = experiment.summary ?? summaryOf(await experiments.scores(id));
      const rows = await experiments.results(id, { ...page, maxBytes: platform.settings.maxListingBytes });
      return { experiment: { ...experiment, summary }, ...rows };
    },

    async cancel(caller, id) {
      await find(caller, id);
      if (!(await experiments.cancel(id, summaryOf(await experiments.scores(id)))))
        throw new TroupeError("conflict", "The experiment has ended.");
      return await find(caller, id);
    },

    async delete(caller, id) {
      await find(caller, id);
      if (!(await experiments.remove(id))) throw new TroupeError("notFound", "Experiment not found");
    },
  };
}
