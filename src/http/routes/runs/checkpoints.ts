/** Routes that show earlier states of agent and team runs. */
import { z } from "zod";
import { TroupeError } from "../../../errors.ts";
import type { RunName } from "../../../runs/find.ts";
import type { RunFamily } from "../../../runs/read.ts";
import { type Reader, reader } from "../../input/decode.ts";
import { identifier } from "../../input/identifiers.ts";
import { toCheckpoints, toSnapshot } from "../../records/checkpoints.ts";
import { runPath, sessionQueries } from "../../requests/queries.ts";
import { sendJson } from "../../transport/json-pieces.ts";
import type { Kind } from "../../transport/kinds.ts";
import { type Access, type Call, type Route, route } from "../../transport/route.ts";
import { storedErrors } from "../../transport/statuses.ts";

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
        summary: `List the checkpoints of a run of the ${name}`,
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
        summary: `Get a run of the ${name} as it was at a checkpoint`,
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

async function listCheckpoints(kind: Kind, call: RunCall): Promise<Record<string, unknown>> {
  return toCheckpoints(await call.services.runs.messages(call.caller, nameIn(kind, call)));
}

async function familyOf(kind: Kind, call: RunCall): Promise<RunFamily> {
  const { services, caller } = call;
  const family = await services.runs.read(caller, await services.runs.find(caller, nameIn(kind, call)));
  if (!family) throw new TroupeError("notFound", "Run not found");
  return family;
}

function nameIn(kind: Kind, { path, query }: RunCall): RunName {
  return { kind: kind.name, componentId: path.componentId, runId: path.runId, sessionId: query.sessionId };
}

async function readSnapshot(kind: Kind, call: Call<SnapshotPath, { sessionId: string }, undefined>): Promise<unknown> {
  const family = await familyOf(kind, call);
  const snapshot = toSnapshot(family, call.path.index);
  if (snapshot) return sendJson(call.reply, snapshot);
  const most = family.messages.get(family.run.key)?.length ?? 0;
  throw new TroupeError("badRequest", `message_index must be between 0 and ${most}`);
}
