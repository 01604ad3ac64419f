/** The shapes of configs: the options of components as JSON. Parts are named by their names or ids. */
import { z } from "zod";
import { ConfigurationError } from "../../errors.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { StepType } from "../../model/workflow.ts";
import { suggestion } from "../checks.ts";

const text = z.string().min(1, "must not be empty");
const names = z.array(text);
const values = z.record(z.string(), z.unknown());
const whole = z.int().positive();

/** A function that the platform registers. */
const namedFunction = z.strictObject({ function: text });

const instructedModel = z.union([text, z.strictObject({ model: text, instructions: text.optional() })], {
  error: 'must be the name of a model, or an object like { "model": "openai:gpt-5.2", "instructions": "…" }',
});

const summary = z.strictObject({
  runs: whole.optional(),
  tokens: whole.optional(),
  model: text.optional(),
  instructions: text.optional(),
});

/** Options that every component has. */
const common = {
  name: text.optional(),
  description: z.string().optional(),
  sessionState: values.optional(),
  dependencies: values.optional(),
  timeout: z.number().optional(),
  limits: values.optional(),
  onDefinitionChange: z.string().optional(),
  sessionPolicy: z.string().optional(),
  inputModes: names.optional(),
  a2aAnswer: z.string().optional(),
  /** The name of a schema. */
  output: text.optional(),
};

/** Options of agents and teams. */
const modelDriven = {
  ...common,
  role: z.string().optional(),
  model: text.optional(),
  models: names.optional(),
  modelSettings: z
    .strictObject({
      temperature: z.number().optional(),
      maxOutputTokens: whole.optional(),
      topP: z.number().optional(),
      topK: z.number().optional(),
      seed: z.int().optional(),
      stopSequences: z.array(z.string()).optional(),
    })
    .optional(),
  parserModel: instructedModel.optional(),
  outputModel: instructedModel.optional(),
  reasoningModel: text.optional(),
  reasoning: z.union([z.boolean(), values]).optional(),
  followups: z
    .union([z.boolean(), z.strictObject({ count: z.number().optional(), model: text.optional() })])
    .optional(),
  cache: values.optional(),
  instructions: z
    .union([z.string(), z.array(z.string()), namedFunction], {
      error: 'must be a text, a list of texts, or the name of a function: { "function": "…" }',
    })
    .optional(),
  history: z
    .strictObject({ runs: z.number().optional(), summary: z.union([z.boolean(), summary]).optional() })
    .optional(),
  context: z
    .strictObject({
      window: z.number().optional(),
      compaction: z.union([z.string(), z.literal(false), namedFunction]).optional(),
      maxToolResult: z.number().optional(),
    })
    .optional(),
  maxSteps: z.number().optional(),
  maxModelAttempts: z.number().optional(),
  learning: z.union([z.boolean(), values]).optional(),
  memory: z.looseObject({ model: text.optional() }).optional(),
  knowledge: z
    .union([names, z.looseObject({ bases: names })], {
      error: 'must be a list of ids of knowledge bases, or an object like { "bases": ["manual"] }',
    })
    .optional(),
  guardrails: names.optional(),
  tools: names.optional(),
};

/** A member of a team: the id of an agent or a team, or an object for an id that both kinds have. */
const member = z.union([text, z.strictObject({ agent: text }), z.strictObject({ team: text })], {
  error: 'must be an id, or an object like { "agent": "researcher" }',
});

const agentShape = z.strictObject(modelDriven);
const teamShape = z.strictObject({
  ...modelDriven,
  mode: z.string().optional(),
  maxIterations: z.number().optional(),
  members: z.array(member).optional(),
});
const workflowShape = z.strictObject({
  ...common,
  /** The name of a schema. */
  input: text.optional(),
  steps: z.array(z.unknown()).optional(),
});

/** Options that every step has. */
const anyStep = {
  type: z.string().optional(),
  name: text,
  description: z.string().optional(),
  confirm: z.union([z.boolean(), z.string()]).optional(),
  onReject: z.string().optional(),
  answerTimeout: z.number().optional(),
  onTimeout: z.string().optional(),
};

const list = z.array(z.unknown());

/** The shapes of steps by type. The names of functions are in `run`, `input`, `if`, `until` and `choose`. */
const stepShapes: Readonly<Record<StepType, z.ZodObject>> = {
  Step: z.strictObject({
    ...anyStep,
    agent: text.optional(),
    team: text.optional(),
    workflow: text.optional(),
    run: text.optional(),
    input: text.optional(),
    output: text.optional(),
    retries: values.optional(),
    timeout: z.number().optional(),
    onError: z.string().optional(),
    userInput: z
      .strictObject({ message: z.string().optional(), fields: z.array(z.looseObject({ name: text })) })
      .optional(),
    review: z.union([z.boolean(), z.string()]).optional(),
  }),
  Steps: z.strictObject({ ...anyStep, steps: list }),
  Parallel: z.strictObject({ ...anyStep, steps: list }),
  Condition: z.strictObject({ ...anyStep, if: text, steps: list, else: list.optional() }),
  Loop: z.strictObject({ ...anyStep, steps: list, max: z.number(), until: text.optional() }),
  Router: z.strictObject({ ...anyStep, choices: list, choose: text.optional(), several: z.boolean().optional() }),
};

/** A named model with instructions of its own. */
type NamedModel = string | { readonly model: string; readonly instructions?: string | undefined };

/** The name of a function. */
export interface NamedFunction {
  readonly function: string;
}

/** The options of an agent or a team that name parts. The others are as in code. */
export interface ModelDrivenConfig {
  readonly model?: string | undefined;
  readonly models?: readonly string[] | undefined;
  readonly modelSettings?: object | undefined;
  readonly parserModel?: NamedModel | undefined;
  readonly outputModel?: NamedModel | undefined;
  readonly reasoningModel?: string | undefined;
  readonly followups?: boolean | { readonly model?: string | undefined } | undefined;
  readonly memory?: { readonly model?: string | undefined } | undefined;
  readonly history?: { readonly summary?: boolean | { readonly model?: string | undefined } | undefined } | undefined;
  readonly instructions?: string | readonly string[] | NamedFunction | undefined;
  readonly context?: { readonly compaction?: string | false | NamedFunction | undefined } | undefined;
  readonly output?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly guardrails?: readonly string[] | undefined;
  readonly knowledge?: readonly string[] | { readonly bases: readonly string[] } | undefined;
  readonly members?: readonly MemberName[] | undefined;
}

/** The id of a member, or its kind and id. */
export type MemberName = string | { readonly agent: string } | { readonly team: string };

/** The options of a workflow that name parts. */
export interface WorkflowConfig {
  readonly input?: string | undefined;
  readonly output?: string | undefined;
  readonly steps?: readonly unknown[] | undefined;
}

/** The options of a step. */
export type StepConfig = Readonly<Record<string, unknown>>;

/** Types of steps. */
export const stepNames: readonly StepType[] = Object.keys(stepShapes) as StepType[];

/** Checks the config of an agent or a team. @throws ConfigurationError for the first option that does not fit */
export function fitModelDriven(title: string, kind: "agent" | "team", config: unknown): ModelDrivenConfig {
  return kind === "team" ? fitted(title, teamShape, config) : fitted(title, agentShape, config);
}

/** Checks the config of a workflow. @throws ConfigurationError for the first option that does not fit */
export function fitWorkflow(title: string, config: unknown): WorkflowConfig {
  return fitted(title, workflowShape, config);
}

/** @throws ConfigurationError for the first name that is not the name of an option */
export function checkOptionNames(title: string, kind: ComponentKind, names: readonly string[]): void {
  const shapes = { agent: agentShape, team: teamShape, workflow: workflowShape };
  const known = Object.keys(shapes[kind].shape);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ConfigurationError(`${title} has no option "${unknown}": ${suggestion(unknown, known)}`);
}

/** Checks a step, and returns its options without the type. @throws ConfigurationError for the first option that does not fit */
export function fitStep(title: string, type: StepType, step: unknown): StepConfig {
  const { type: _, ...options } = fitted(title, stepShapes[type], step);
  return options;
}

/** @throws ConfigurationError for the first member that does not fit */
function fitted<Shape extends z.ZodObject>(title: string, shape: Shape, value: unknown): z.output<Shape> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join(".") ?? "";
  if (issue?.code === "unrecognized_keys") {
    const known = path === "" ? Object.keys(shape.shape) : [];
    const where = path === "" ? title : `${title}: ${path}`;
    const unknown = issue.keys[0] ?? "";
    throw new ConfigurationError(
      `${where} has no option "${unknown}"${known.length > 0 ? `: ${suggestion(unknown, known)}` : "."}`,
    );
  }
  throw new ConfigurationError(`${title}: ${path === "" ? "its config" : path}: ${issue?.message ?? "invalid"}.`);
}
