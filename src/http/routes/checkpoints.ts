/** Routes that show earlier states of agent and team runs. */
import { z } from "zod";
import { TroupeError } from "../../errors.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { toCheckpoints, toSnapshot } from "../records/checkpoints.ts";
import { byRun, type RunFamily } from "../records/run.ts";
import { runPath, sessionQueries } from "../requests/queries.ts";
import { sendJson } from "../transport/json-pieces.ts";
import { type Access, type Call, type Route, route } from "../transport/route.ts";
import type { Kind } from "./kinds.ts";
import { readFamily, runInPath } from "./read-runs.ts";
import { storedErrors } from "./statuses.ts";

interface SnapshotPath {
  readonly componentId: string;
  readonly runId: string;
  readonly index: number;
}

function snapshotPath(idParam: string): Reader<SnapshotPath> {
  return reader(z.object({ [idParam]: identifier, run_id: identifier, message_index: z.int() }), (fields) => ({
    componentId: String(fields[idParam]),
    runId: String(fields.run_id),
    index: Number(fields.message_index),
  }));
}

/** Routes for the list of a run's checkpoints, and for the run's state at one of its messages. */
export function checkpointRoutes(kind: Kind): readonly Route[] {
  const { name, plural, idParam, tag } = kind;
  const list = `/${plural}/{${idParam}}/runs/{run_id}/checkpoints`;
  const access: Access = { resource: plural, action: "read", idParam };
  const common = { tag, security: "bearer", errors: storedErrors } as const;
  return [
    route({
      method: "GET",
      path: list,
      access,
      operation: {
        id: `list_${name}_run_checkpoints`,
        summary: `Durable steps of a run of the ${name}`,
        success: { 200: { description: "Checkpoints", json: "any" } },
        ...common,
      },
      pathParams: runPath(idParam),
      query: sessionQueries[name],
      isHeavy: true,
      handle: (call) => listCheckpoints(kind, call),
    }),
    route({
      method: "GET",
      path: `${list}/{message_index}`,
      access,
      operation: {
        id: `get_${name}_run_checkpoint_snapshot`,
        summary: `A run of the ${name} as it was after a number of messages`,
        success: { 200: { description: "The run as it was", json: "any" } },
        ...common,
      },
      pathParams: snapshotPath(idParam),
      query: sessionQueries[name],
      isHeavy: true,
      handle: (call) => readSnapshot(kind, call),
    }),
  ];
}

type RunCall = Call<{ componentId: string; runId: string }, { sessionId: string }, undefined>;

/** Reads only the run's row without its texts, and its messages without the bytes of media. */
async function listCheckpoints(kind: Kind, call: RunCall): Promise<Record<string, unknown>> {
  const run = await runInPath(kind, call, call.query.sessionId);
  return toCheckpoints({ run, messages: byRun(await call.services.store.messages([run.key], true)) });
}

async function familyOf(kind: Kind, call: RunCall): Promise<RunFamily> {
  const located = await runInPath(kind, call, call.query.sessionId);
  const family = await readFamily(call.services, call.caller, located);
  if (!family) throw new TroupeError("notFound", "Run not found");
  return family;
}

async function readSnapshot(kind: Kind, call: Call<SnapshotPath, { sessionId: string }, undefined>): Promise<unknown> {
  const family = await familyOf(kind, call);
  const snapshot = toSnapshot(family, call.path.index);
  if (snapshot) return sendJson(call.reply, snapshot);
  const most = family.messages.get(family.run.key)?.length ?? 0;
  throw new TroupeError("badRequest", `message_index must be between 0 and ${most}`);
}
