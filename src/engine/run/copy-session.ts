/** Sessions that are copies of another session, with the same runs under new ids. */
import { InvariantError, TroupeError } from "../../errors.ts";
import type { RunOptions } from "../../model/run/record.ts";
import { isTerminal } from "../../model/run/run.ts";
import type { CopiedRun } from "../../store/contract/sessions.ts";
import type { LocatedRun, RunRow } from "../../store/contract/store.ts";
import type { EngineParts } from "../parts.ts";

/** Number of root runs read in one query. */
const runsAtOnce = 100;

/** Maximum attempts to find a free id; a random id is practically never taken. */
const maxAttempts = 3;

/** A session with runs of one component, and the owner and user of its copy. */
export interface SessionOfComponent
  extends Pick<RunRow, "kind" | "componentId" | "sessionKey" | "sessionId" | "owner" | "userId"> {}

/** A session that was created. */
export interface CreatedSession {
  readonly key: number;
  readonly sessionId: string;
}

type Parts = Pick<EngineParts, "store" | "runtime">;

/** Returns the id of a copy of the session; undefined if it has no finished run of the component or was deleted meanwhile. */
export async function forkSession(parts: Parts, source: SessionOfComponent): Promise<string | undefined> {
  const roots = await rootsOf(parts, source);
  return roots.length === 0 ? undefined : (await copyWith(parts, source, roots))?.sessionId;
}

/**
 * Copies a session with the component's finished runs, except replaced ones.
 * @param beforeSeq copies only runs before this position
 * @throws TroupeError `notFound` if it was deleted meanwhile
 */
export async function copySession(
  parts: Parts,
  source: SessionOfComponent,
  beforeSeq: number,
): Promise<CreatedSession> {
  const created = await copyWith(parts, source, await rootsOf(parts, source, beforeSeq));
  if (created === undefined) throw new TroupeError("notFound", "Run not found");
  return created;
}

async function rootsOf(
  { store }: Parts,
  source: SessionOfComponent,
  beforeSeq: number = Number.POSITIVE_INFINITY,
): Promise<readonly LocatedRun[]> {
  const roots: LocatedRun[] = [];
  for (let after: { sessionSeq: number } | undefined; ; ) {
    const page = await store.sessionRuns({ sessionKey: source.sessionKey, limit: runsAtOnce, after });
    roots.push(...page.filter((run) => (run.sessionSeq ?? 0) < beforeSeq && isCopied(source, run)));
    const last = page.at(-1)?.sessionSeq ?? null;
    if (page.length < runsAtOnce || last === null || last >= beforeSeq) break;
    after = { sessionSeq: last };
  }
  return roots;
}

/** Undefined if the session was deleted. */
async function copyWith(
  { store, runtime }: Parts,
  source: SessionOfComponent,
  roots: readonly LocatedRun[],
): Promise<CreatedSession | undefined> {
  const keys = roots.map(({ key }) => key);
  const families = Map.groupBy(await store.listedRuns(keys, "members"), ({ rootKey }) => rootKey);
  const runs: CopiedRun[] = [];
  for (const { key: root } of roots) {
    const family = families.get(root) ?? [];
    const ids = new Map(family.map(({ runId }) => [runId, runtime.randomness.uuid()]));
    for (const run of family) {
      const key = await store.nextRunKey();
      const runId = ids.get(run.runId) as string;
      runs.push({ from: run.key, key, runId, options: optionsOf(run, source), output: withNewIds(run.output, ids) });
    }
  }
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const sessionId = runtime.randomness.uuid();
    const at = runtime.clock.now();
    const { sessionKey: from, owner, userId } = source;
    const key = await store.copySession({ from, sessionId, owner, userId, runs, at });
    if (key === "gone") return undefined;
    if (key !== "taken") return { key, sessionId };
  }
  throw new InvariantError(`${maxAttempts} random session ids were taken`);
}

function isCopied({ kind, componentId }: Pick<SessionOfComponent, "kind" | "componentId">, run: LocatedRun): boolean {
  return run.kind === kind && run.componentId === componentId && isTerminal(run.status) && run.replacedBy === null;
}

function optionsOf({ options, runId, parentKey }: RunRow, { sessionId }: SessionOfComponent): string {
  if (parentKey !== null) return options;
  // A copy belongs to another user, perhaps: it must not hold the secrets of the original.
  const { webhooks: _, ...given } = JSON.parse(options) as RunOptions;
  return JSON.stringify({ ...given, origin: { runId, sessionId } } satisfies RunOptions);
}

/** A run's output contains the ids of runs under it. */
function withNewIds(output: string | null, ids: ReadonlyMap<string, string>): string | null {
  let text = output;
  for (const [old, id] of ids) text = text?.replaceAll(old, id) ?? null;
  return text;
}
