/** Paths, queries and bodies of eval routes. */
import { z } from "zod";
import { TroupeError } from "../../errors.ts";
import { type EvalQuery, type EvalType, evalTypes, type GivenEval } from "../../runs/evals/calls.ts";
import { maxScorers } from "../../runs/evals/scorers.ts";
import type { BodySpec } from "../input/body.ts";
import { listOf } from "../input/bounded-lists.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { named } from "../input/named-schemas.ts";
import { invalid } from "../input/validation-errors.ts";
import { evalType } from "../records/evals.ts";
import { choice, type DatabaseChoice, databaseMembers, sortOrder } from "./sessions.ts";

/** Max evals of a page. */
const maxPage = 200;

/** Max characters of criteria, guidelines and expected outputs. */
const maxText = 100_000;

/** Max characters of a name. */
const maxName = 255;

const text = z.string().max(maxText).nullish();
const modelText = z.string().max(200).nullish();
const name = z
  .string()
  .max(maxName)
  .refine((given) => given.isWellFormed() && !given.includes("\0"), "must be well-formed Unicode without NUL");

const filterType = named("EvalFilterType", z.enum(["agent", "team", "workflow"]));

/** The query of the routes that name a database only. */
export const evalDatabase: Reader<DatabaseChoice> = reader(z.object(databaseMembers), choice);

/** The path of one eval. */
export const evalPath: Reader<{ evalId: string }> = reader(z.object({ eval_run_id: identifier }), (fields) => ({
  evalId: fields.eval_run_id,
}));

/** Filters and page of a listing of evals. */
export interface EvalList extends DatabaseChoice {
  readonly query: Omit<EvalQuery, "maxBytes">;
  readonly page: number;
}

/** The query of `GET /eval-runs`. Page 0 is the first page, and an unknown sort key means the default order, as recorded. */
export const evalList: Reader<EvalList> = reader(
  z.object({
    agent_id: identifier.nullish(),
    team_id: identifier.nullish(),
    workflow_id: identifier.nullish(),
    model_id: modelText,
    type: filterType.nullish(),
    limit: z
      .int()
      .min(1)
      .nullable()
      .default(20)
      .describe(
        `Evals of a page: at most ${maxPage}. More are cut to that; meta.limit is what the page was made with.`,
      ),
    page: z.int().min(0).nullable().default(1),
    sort_by: z.string().nullable().default("created_at"),
    sort_order: sortOrder.nullable().default("desc"),
    ...databaseMembers,
    eval_types: z.string().max(1_000).nullish().describe("Types of evals, separated by commas."),
    cursor: z.string().nullish().describe("From the Link header of the page before. The page number is then ignored."),
  }),
  (fields) => {
    const limit = Math.min(fields.limit ?? 20, maxPage);
    const page = fields.page ?? 1;
    const query = {
      kind: fields.type ?? undefined,
      componentIds: {
        agent: fields.agent_id ?? undefined,
        team: fields.team_id ?? undefined,
        workflow: fields.workflow_id ?? undefined,
      },
      model: fields.model_id ?? undefined,
      types: fields.eval_types ? toTypes(fields.eval_types) : undefined,
      sortBy: sortKeys.get(fields.sort_by ?? "") ?? ("createdAt" as const),
      descending: fields.sort_order !== "asc",
      limit,
      offset: Math.min((Math.max(page, 1) - 1) * limit, Number.MAX_SAFE_INTEGER),
      after: fields.cursor ? fromCursor(fields.cursor) : undefined,
    };
    return { query, page, ...choice(fields) };
  },
);

const sortKeys: ReadonlyMap<string, EvalQuery["sortBy"]> = new Map([
  ["updated_at", "updatedAt"],
  ["name", "name"],
]);

/** @throws TroupeError `validation` with the recorded text */
function toTypes(list: string): readonly EvalType[] {
  const given = list.split(",").map((one) => one.trim());
  const unknown = given.find((one) => !evalTypes.includes(one as EvalType));
  if (unknown !== undefined)
    throw new TroupeError(
      "validation",
      `Invalid eval_type: '${unknown}' is not a valid EvalType. Valid types: ${evalTypes.join(", ")}`,
    );
  return given as EvalType[];
}

/** The cursor that continues after an eval. */
export function toEvalCursor(key: number): string {
  return Buffer.from(String(key)).toString("base64url");
}

function fromCursor(cursor: string): number {
  const decoded = Buffer.from(cursor, "base64url").toString("utf8");
  if (/^\d{1,15}$/.test(decoded)) return Number(decoded);
  const msg = "Value error, not a cursor of this listing: take it from the Link header of the page before";
  throw invalid([{ type: "value_error", loc: ["query", "cursor"], msg, input: cursor }]);
}

const object = z.record(z.string(), z.unknown());

/** A requested eval. */
export interface RequestedEval {
  readonly given: GivenEval;
  /** Whether the caller does not wait for the eval. */
  readonly background: boolean;
}

/** The body of `POST /eval-runs`. */
export const newEval: BodySpec<RequestedEval> = {
  name: "EvalRunInput",
  types: ["json"],
  required: true,
  reader: reader(
    z.object({
      agent_id: z.string().nullish(),
      team_id: z.string().nullish(),
      model_id: modelText,
      model_provider: modelText,
      eval_type: evalType,
      input: z.string().min(1),
      additional_guidelines: text,
      additional_context: text,
      num_iterations: z.int().min(1).max(100).default(1),
      name: name.nullish(),
      expected_output: text,
      criteria: text,
      scoring_strategy: z.enum(["numeric", "binary"]).nullable().default("binary"),
      threshold: z.int().min(1).max(10).nullable().default(7),
      warmup_runs: z.int().min(0).max(10).default(0),
      expected_tool_calls: listOf(z.string().max(200)).nullish(),
      allow_additional_tool_calls: z.boolean().default(false),
      expected_tool_call_arguments: z.record(z.string(), z.union([object, listOf(object)])).nullish(),
      scorers: z
        .array(z.union([z.string(), z.looseObject({ name: z.string() })]))
        .max(maxScorers)
        .nullish()
        .describe("For accuracy: scorers in the place of a judge. The score is ten times their mean."),
      background: z.boolean().nullish().describe("Answer 202 at once, and execute the eval in the background."),
    }),
    (fields) => {
      const { agent_id: agentId, team_id: teamId } = fields;
      if (agentId && teamId) throw new TroupeError("badRequest", "Only one of agent_id or team_id must be provided");
      const component = agentId
        ? { kind: "agent" as const, id: agentId }
        : teamId
          ? { kind: "team" as const, id: teamId }
          : undefined;
      if (!component) throw new TroupeError("badRequest", "One of agent_id or team_id must be provided");
      const isPerformance = fields.eval_type === "performance";
      const given: GivenEval = {
        ...{ component, type: fields.eval_type, input: fields.input, name: fields.name || undefined },
        ...{ expectedOutput: fields.expected_output ?? undefined, scorers: fields.scorers ?? undefined },
        ...{ criteria: fields.criteria ?? undefined, scoring: fields.scoring_strategy ?? "binary" },
        ...{ threshold: fields.threshold ?? 7, guidelines: fields.additional_guidelines ?? undefined },
        ...{ context: fields.additional_context ?? undefined, expectedTools: fields.expected_tool_calls ?? undefined },
        ...{ expectedArguments: fields.expected_tool_call_arguments ?? undefined },
        ...{ allowsOtherTools: fields.allow_additional_tool_calls, iterations: fields.num_iterations },
        warmups: isPerformance ? fields.warmup_runs : 0,
        judge: fields.model_id ? { id: fields.model_id, provider: fields.model_provider ?? undefined } : undefined,
      };
      return { given, background: fields.background === true };
    },
  ),
};

/** The body of `PATCH /eval-runs/{eval_run_id}`. */
export const renamedEval: BodySpec<{ readonly name: string }> = {
  name: "UpdateEvalRunRequest",
  types: ["json"],
  required: true,
  reader: reader(z.object({ name: name.min(1) }), (fields) => fields),
};

/** The body of `DELETE /eval-runs`. */
export const deletedEvals: BodySpec<readonly string[]> = {
  name: "DeleteEvalRunsRequest",
  types: ["json"],
  required: true,
  reader: reader(z.object({ eval_run_ids: listOf(identifier).min(1) }), (fields) => fields.eval_run_ids),
};
