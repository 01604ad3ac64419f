import type { z } from "zod";
import { ConfigurationError } from "../errors.ts";
import type { ApprovalType } from "../model/approval.ts";
import { type Known, refuseUnknown } from "./checks.ts";
import type { ToolContext } from "./context.ts";
import { writableShape } from "./json-shape.ts";

const toolName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Shape of a tool's input: a zod object. */
export type ToolInput = z.ZodType<unknown, Readonly<Record<string, unknown>>>;

/** What is described of every tool. */
interface AnyToolOptions<Input extends ToolInput> {
  /** Name the model calls it by: letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** Shape of its input: a zod object. What the model sends is validated against it. */
  readonly input: Input;
  /** Asks a person before each call. Default false. */
  readonly confirm?: boolean;
  /** Fields of the input that a person enters: the model is not told of them, and a call waits until they are there. */
  readonly userInput?: readonly (keyof z.input<Input> & string)[];
  /**
   * What calls must be approved, by somebody who may (scope `approvals:write`): `required` before each call, which is confirmed by that; `audit`
   * writes down who answered what the call waits for, which is a confirmation where nothing else is said.
   */
  readonly approval?: ApprovalType;
  /** Milliseconds a call may take. Default: `toolTimeout` of the settings. */
  readonly timeout?: number;
  /** The run ends with this tool's result as its answer. Default false. */
  readonly stopAfterCall?: boolean;
  /** Whether a call that was interrupted by a crash may simply be made again, with the same idempotency key. Default false. */
  readonly idempotent?: boolean;
  /**
   * What happens to a call that is not idempotent and was interrupted by a crash. `tell-model` (default): the model learns that the outcome
   * is unknown. `fail`: the run fails. `ask`: the run pauses, and a person decides whether the call is made again.
   */
  readonly onInterrupted?: "tell-model" | "fail" | "ask";
}

/** A tool that is executed here. */
interface ExecutedToolOptions<Input extends ToolInput, State extends object, Dependencies extends object>
  extends AnyToolOptions<Input> {
  readonly external?: false;
  /**
   * Does the work. What it returns goes to the model (an object as JSON text); what it throws goes to the model as the tool's error. The session's
   * state and the dependencies have the types of its annotation: `({ title }, { session }: ToolContext<LibraryState>) => …`.
   */
  readonly execute: (input: z.output<Input>, context: ToolContext<State, Dependencies>) => unknown;
}

/** A tool whose calls the caller of the run makes, and answers with their results. */
interface ExternalToolOptions<Input extends ToolInput> extends AnyToolOptions<Input> {
  readonly external: true;
  readonly execute?: undefined;
}

/** How a tool is described: with `execute`, or as `external`. */
export type ToolOptions<
  Input extends ToolInput,
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
> = ExecutedToolOptions<Input, State, Dependencies> | ExternalToolOptions<Input>;

const toolOptions: Known<ToolOptions<ToolInput>> = {
  name: true,
  description: true,
  input: true,
  execute: true,
  confirm: true,
  userInput: true,
  external: true,
  approval: true,
  timeout: true,
  stopAfterCall: true,
  idempotent: true,
  onInterrupted: true,
};

const objectWanted = "its input must be an object schema of zod 4, for instance z.object({ city: z.string() }).";

/** A tool, ready to be given to agents. */
export interface Tool {
  readonly kind: "tool";
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly confirm: boolean;
  /** Fields of the input that a person enters. */
  readonly userInput: readonly string[];
  readonly external: boolean;
  readonly approval: ApprovalType | undefined;
  /** JSON Schema of the whole input (draft 7). */
  readonly wholeSchema: Readonly<Record<string, unknown>>;
  /** JSON Schema of the input (draft 7), as models are told it. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly execute: (input: never, context: ToolContext) => unknown;
  readonly timeout: number | undefined;
  readonly stopAfterCall: boolean;
  readonly idempotent: boolean;
  readonly onInterrupted: "tell-model" | "fail" | "ask";
}

/**
 * Describes a function that models may call.
 *
 * @example
 * ```ts
 * const weather = defineTool({
 *   name: "get_weather",
 *   description: "Current weather of a city",
 *   input: z.object({ city: z.string() }),
 *   execute: async ({ city }, { signal }) => (await fetch(`https://weather.example/${city}`, { signal })).text(),
 * });
 * ```
 * @throws ConfigurationError for a name models cannot call, a missing description, an input that is not an object schema, or that no JSON fits
 */
export function defineTool<
  Input extends ToolInput,
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
>(options: ToolOptions<Input, State, Dependencies>): Tool {
  if (!toolName.test(options.name)) {
    throw new ConfigurationError(
      `Tool "${options.name}": a name has letters, digits, "_" and "-", starts with a letter or "_", and is at most 64 long.`,
    );
  }
  const title = `Tool "${options.name}"`;
  refuseUnknown(title, options, toolOptions);
  if (typeof options.description !== "string" || !options.description.trim()) {
    throw new ConfigurationError(`${title}: give it a description; the model decides by it when to call the tool.`);
  }
  const external = options.external ?? false;
  if (external ? options.execute !== undefined : typeof options.execute !== "function") {
    const fault = external ? "is external, so it must have no execute." : "has no function execute.";
    throw new ConfigurationError(`${title} ${fault}`);
  }
  if (!("_zod" in Object(options.input))) throw new ConfigurationError(`${title}: ${objectWanted}`);
  const inputSchema = writableShape(title, options.input);
  if (inputSchema.type !== "object") {
    throw new ConfigurationError(`${title}: ${objectWanted}`);
  }
  const userInput = options.userInput ?? [];
  const unknown = userInput.find((name) => !(name in Object(inputSchema.properties)));
  if (unknown !== undefined)
    throw new ConfigurationError(`${title}: its input has no field "${unknown}" that a person could enter.`);
  const { approval } = options;
  if (approval !== undefined && approval !== "required" && approval !== "audit")
    throw new ConfigurationError(`${title}: its approval is "required" or "audit".`);
  const asksNothing = userInput.length === 0 && !external;
  const isConfirmed = approval === "required" || (approval === "audit" && asksNothing);
  return Object.freeze({
    kind: "tool",
    name: options.name,
    description: options.description,
    input: options.input,
    inputSchema: without(inputSchema, userInput),
    wholeSchema: inputSchema,
    confirm: (options.confirm ?? false) || isConfirmed,
    userInput,
    external,
    approval,
    execute: (options.execute ?? callerExecutes) as Tool["execute"],
    timeout: options.timeout,
    stopAfterCall: options.stopAfterCall ?? false,
    idempotent: options.idempotent ?? false,
    onInterrupted: options.onInterrupted ?? "tell-model",
  });
}

/** A schema without some of its properties. */
function without(
  schema: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  if (names.length === 0) return schema;
  const properties = Object.entries(Object(schema.properties)).filter(([name]) => !names.includes(name));
  const required = ((schema.required as readonly string[] | undefined) ?? []).filter((name) => !names.includes(name));
  return { ...schema, properties: Object.fromEntries(properties), required };
}

/** An external tool is never executed here: its result comes with the answer to the pause. */
function callerExecutes(): never {
  throw new Error("The caller of the run makes this call.");
}
