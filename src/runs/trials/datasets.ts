/** Datasets: inputs with expected answers. Rows come from a caller, or from stored runs. */
import { TroupeError } from "../../errors.ts";
import { ownSpace, type Principal, visibleSession } from "../../model/principal.ts";
import { inputOf, outputOf } from "../../model/run/stored-run.ts";
import type { TrialRow } from "../../model/trial.ts";
import type { DatasetRow, KeyedPage, NewDatasetRow, RowPage, StoredDataset } from "../../store/contract/datasets.ts";
import type { FeedbackQuery, StoredFeedback } from "../../store/contract/feedback.ts";
import type { RunRow } from "../../store/contract/store.ts";
import { type Created, createOnce, type Idempotency } from "../creations.ts";
import { checkIds } from "../limits/sizes.ts";
import type { RunParts } from "../parts.ts";
import { authorize, isPermitted } from "../permissions.ts";

export type { TrialRow } from "../../model/trial.ts";
export type { DatasetRow, KeyedPage, RowPage, StoredDataset } from "../../store/contract/datasets.ts";

/** Max rows of a dataset. */
export const maxDatasetRows = 10_000;

/** Max rows that one request adds. */
export const maxAddedRows = 1_000;

/** Max pages of feedback that one request reads. */
const maxFeedbackPages = 20;

/** Max characters of the texts of rows that one request takes from stored runs. */
const maxTakenText = 32 * 1024 * 1024;

/** Runs with feedback, whose rows are added. */
export type FeedbackChoice = Pick<FeedbackQuery, "kind" | "componentId" | "rating" | "limit">;

/** Rows that a caller adds: its own, of stored runs, and of runs with feedback. */
export interface GivenRows {
  readonly rows: readonly TrialRow[];
  readonly runIds: readonly string[];
  readonly feedback: FeedbackChoice | undefined;
  /** Whether the stored answers become the expected ones. The answer to a run with a thumbs-down never does. */
  readonly withExpected: boolean;
}

/** A dataset that a caller creates, with its first rows. */
export interface GivenDataset extends Pick<StoredDataset, "name" | "description"> {
  readonly rows: GivenRows;
}

/** Calls about datasets. Callers who are isolated have datasets of their own. */
export interface DatasetCalls {
  /**
   * Stores a dataset with its rows. With an idempotency key, a repeated request gets the dataset of the first one.
   * @throws TroupeError `forbidden`, and those of `add`
   */
  create(caller: Principal, given: GivenDataset, idempotency?: Idempotency): Promise<Created<StoredDataset>>;
  list(
    caller: Principal,
    query: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<KeyedPage<StoredDataset>>;
  /** @throws TroupeError `notFound` */
  find(caller: Principal, id: string): Promise<StoredDataset>;
  /** @throws TroupeError `notFound` */
  change(
    caller: Principal,
    id: string,
    change: Partial<Pick<StoredDataset, "name" | "description">>,
  ): Promise<StoredDataset>;
  /** Deletes a dataset with its rows and experiments. @throws TroupeError `notFound` */
  delete(caller: Principal, id: string): Promise<void>;
  /** Adds rows; all or none. @throws TroupeError `notFound` (dataset, run), `forbidden`, `conflict` if the dataset is full, `validation` */
  add(
    caller: Principal,
    id: string,
    rows: GivenRows,
  ): Promise<{ readonly added: number; readonly dataset: StoredDataset }>;
  /** Rows in the order in which they were added. @throws TroupeError `notFound` */
  rows(
    caller: Principal,
    id: string,
    page: Omit<RowPage, "maxBytes">,
  ): Promise<KeyedPage<DatasetRow> & { readonly dataset: StoredDataset }>;
  /** Deletes a row with its results in experiments. @throws TroupeError `notFound` */
  deleteRow(caller: Principal, id: string, rowId: string): Promise<void>;
}

/** @throws TroupeError `forbidden` for a credential of one session: datasets and experiments belong to no session */
export function checkSessionless(caller: Principal): void {
  if (visibleSession(caller) !== null)
    throw new TroupeError("forbidden", "The credential is for one session: it has no datasets and no experiments.");
}

/** What a user thinks of a run. */
type Opinion = Pick<StoredFeedback, "userId" | "rating" | "note">;

/** Binds the calls to their parts. */
export function datasetCalls(parts: RunParts): DatasetCalls {
  const { datasets, feedback } = parts.trials;
  const { runtime, platform, store } = parts;
  const newId = (): string => runtime.randomness.uuid();
  const notFound = (): TroupeError => new TroupeError("notFound", "Dataset not found");

  async function find(caller: Principal, id: string): Promise<StoredDataset> {
    checkSessionless(caller);
    const found = await datasets.find(caller, id);
    if (!found) throw notFound();
    return found;
  }

  /** A root run that the caller may see and read. @throws TroupeError `notFound` */
  async function readRun(caller: Principal, runId: string): Promise<RunRow> {
    checkIds({ run: runId });
    const run = await store.findRun(caller, runId);
    const isReadable = run?.parentKey === null && isPermitted(() => authorize(parts, caller, "read", run));
    if (!run || !isReadable) throw new TroupeError("notFound", `Run not found: ${runId}`);
    return run;
  }

  async function taken(
    caller: Principal,
    ids: readonly string[],
    withExpected: boolean,
    about: ReadonlyMap<string, Opinion> = new Map(),
  ): Promise<NewDatasetRow[]> {
    const rows: NewDatasetRow[] = [];
    let size = 0;
    for (const runId of ids) {
      const run = await readRun(caller, runId);
      const given = about.get(runId);
      const answer = withExpected && given?.rating !== "down" ? answerOf(run) : null;
      const { message } = inputOf(run);
      size += message.length + (answer?.length ?? 0);
      if (size > maxTakenText)
        throw new TroupeError("tooLarge", "The texts of the runs are too large for one request: add fewer at a time.");
      const runUser = run.userId ?? (run.owner === "" ? null : run.owner);
      // The erasure of the run's user removes the row. It would not be removed with the author of another user's note.
      const hasNote = given && given.note !== null && (given.userId === null || given.userId === runUser);
      const metadata = given ? { rating: given.rating, ...(hasNote && { note: given.note }) } : null;
      rows.push({ id: newId(), input: message, expected: answer, metadata, runId, runUser });
    }
    return rows;
  }

  async function ofFeedback(
    caller: Principal,
    { limit, ...filter }: FeedbackChoice,
    withExpected: boolean,
  ): Promise<NewDatasetRow[]> {
    const about = new Map<string, Opinion>();
    let after: FeedbackQuery["after"];
    for (let pages = 0; pages < maxFeedbackPages && about.size < limit; pages++) {
      const page = await feedback.list(caller, { ...filter, limit: limit - about.size, after });
      for (const one of page.feedback) {
        const isReadable = isPermitted(() => authorize(parts, caller, "read", one));
        // Of several opinions about a run, the newest counts.
        if (isReadable && !about.has(one.runId)) about.set(one.runId, one);
      }
      after = page.next;
      if (after === undefined) break;
    }
    return await taken(caller, [...about.keys()], withExpected, about);
  }

  async function rowsOf(caller: Principal, given: GivenRows): Promise<readonly NewDatasetRow[]> {
    const own = given.rows.map((row) => ({ ...row, id: newId(), runId: null, runUser: null }));
    const ofRuns = await taken(caller, given.runIds, given.withExpected);
    return [...own, ...ofRuns, ...(given.feedback ? await ofFeedback(caller, given.feedback, given.withExpected) : [])];
  }

  async function insert(id: string, rows: readonly NewDatasetRow[]): Promise<void> {
    const outcome = await datasets.addRows(id, rows, maxDatasetRows);
    if (outcome === "gone") throw notFound();
    if (outcome === "full")
      throw new TroupeError(
        "conflict",
        `A dataset has at most ${maxDatasetRows} rows: delete some, or use another one.`,
      );
  }

  return {
    find,

    async create(caller, { name, description, rows: given }, idempotency) {
      checkSessionless(caller);
      const owner = ownSpace(caller);
      return await createOnce(
        parts,
        { caller, idempotency },
        {
          find: (id) => datasets.find(caller, id),
          async create(id) {
            await datasets.create({ id, owner, userId: caller.userId, name, description }, await rowsOf(caller, given));
            return await find(caller, id);
          },
        },
      );
    },

    async list(caller, query) {
      checkSessionless(caller);
      return await datasets.list(caller, query);
    },

    async change(caller, id, change) {
      const { name, description } = await find(caller, id);
      if (!(await datasets.change(id, { name, description, ...change }))) throw notFound();
      return await find(caller, id);
    },

    async delete(caller, id) {
      await find(caller, id);
      if (!(await datasets.remove(id))) throw notFound();
    },

    async add(caller, id, given) {
      await find(caller, id);
      const rows = await rowsOf(caller, given);
      if (rows.length > 0) await insert(id, rows);
      return { added: rows.length, dataset: await find(caller, id) };
    },

    async rows(caller, id, page) {
      const dataset = await find(caller, id);
      return { dataset, ...(await datasets.rows(id, { ...page, maxBytes: platform.settings.maxListingBytes })) };
    },

    async deleteRow(caller, id, rowId) {
      await find(caller, id);
      if (!(await datasets.removeRow(id, rowId))) throw new TroupeError("notFound", "Row not found");
    },
  };
}

/** The text of a completed run's answer; null without one. */
export function answerOf(run: Pick<RunRow, "output" | "status">): string | null {
  const { content } = outputOf(run);
  if (run.status !== "COMPLETED" || content === undefined || content === null) return null;
  return typeof content === "string" ? content : JSON.stringify(content);
}
