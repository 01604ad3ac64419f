import type { z } from "zod";
import { ConfigurationError } from "../errors.ts";
import type { OAuthNeed } from "../model/connections.ts";
import type { ApprovalType } from "../model/run/approval.ts";
import { type Check, checkAll, flag, type Known, oneOf, positive, refuseUnknown } from "./checks.ts";
import type { ToolContext } from "./context.ts";
import { writableShape } from "./json-shape.ts";
import { checkNeed } from "./options/connections.ts";

const toolName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Schema of a tool's input: a zod object. */
export type ToolInput = z.ZodType<unknown, Readonly<Record<string, unknown>>>;

/** Options that every tool has. */
interface AnyToolOptions<Input extends ToolInput> {
  /** Name that the model uses to call the tool: letters, digits, `_` and `-`, at most 64 characters, not starting with a digit or `-`. */
  readonly name: string;
  /** Describes for the model what the tool does and when to use it. */
  readonly description: string;
  /** Schema of the input: a zod object. The arguments of every call are validated against it. */
  readonly input: Input;
  /**
   * The account of the user that the calls need, at a provider of `definePlatform({ connections })`. A call of a user without one pauses the run with a link. The
   * context's `accessToken` is the user's token.
   */
  readonly oauth?: OAuthNeed;
  /** Whether a person must confirm each call. Default false. */
  readonly confirm?: boolean;
  /** Input fields that a person enters. The model does not see them, and each call pauses until they are entered. */
  readonly userInput?: readonly (keyof z.input<Input> & string)[];
  /**
   * Approval of calls by a principal with the scope `approvals:write`. `required`: each call needs an approval, which also confirms it.
   * `audit`: the answer to a paused call is recorded with the principal that gave it; a call that asks for nothing else needs a
   * confirmation.
   */
  readonly approval?: ApprovalType;
  /** Maximum duration of a call, in milliseconds. Default: the setting `toolTimeout`. */
  readonly timeout?: number;
  /** Whether the run ends after a call of this tool, with the tool's result as its answer. Default false. */
  readonly stopAfterCall?: boolean;
  /** Whether a call that a crash interrupted can be repeated with the same idempotency key. Default false. */
  readonly idempotent?: boolean;
  /**
   * Handling of a call that is not idempotent and was interrupted by a crash. `tell-model` (default): the model receives the result
   * that the outcome is unknown. `fail`: the run fails. `ask`: the run pauses, and a person decides whether the call is repeated.
   */
  readonly onInterrupted?: "tell-model" | "fail" | "ask";
}

/** Options of a tool that this server executes. */
interface ExecutedToolOptions<Input extends ToolInput, State extends object, Dependencies extends object>
  extends AnyToolOptions<Input> {
  readonly external?: false;
  /**
   * Executes the call. Its return value is the tool result for the model (an object as JSON text); an error that it throws is the tool's
   * error for the model. Annotate the context to type the session's state and the dependencies: `({ title }, { session }:
   * ToolContext<LibraryState>) => …`.
   */
  readonly execute: (input: z.output<Input>, context: ToolContext<State, Dependencies>) => unknown;
}

/** Options of an external tool: the caller of the run executes its calls and sends their results. */
interface ExternalToolOptions<Input extends ToolInput> extends AnyToolOptions<Input> {
  readonly external: true;
  readonly execute?: undefined;
}

/** Options of a tool: with `execute`, or `external`. */
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
  oauth: true,
  confirm: true,
  userInput: true,
  external: true,
  approval: true,
  timeout: true,
  stopAfterCall: true,
  idempotent: true,
  onInterrupted: true,
};

const toolChecks: Readonly<Record<string, Check>> = {
  confirm: flag,
  external: flag,
  timeout: positive,
  stopAfterCall: flag,
  idempotent: flag,
  onInterrupted: oneOf(["tell-model", "fail", "ask"]),
};

const objectRequired = "its input must be an object schema of zod 4, for instance z.object({ city: z.string() }).";

/** A tool for agents and teams. */
export interface Tool {
  readonly kind: "tool";
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly confirm: boolean;
  /** Fields of the input that a person enters. */
  readonly userInput: readonly string[];
  readonly external: boolean;
  readonly oauth: OAuthNeed | undefined;
  readonly approval: ApprovalType | undefined;
  /** JSON Schema (draft 7) of the whole input, including the fields that a person enters. */
  readonly wholeSchema: Readonly<Record<string, unknown>>;
  /** JSON Schema (draft 7) of the input as the model sees it, without the fields that a person enters. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly execute: (input: never, context: ToolContext) => unknown;
  readonly timeout: number | undefined;
  readonly stopAfterCall: boolean;
  readonly idempotent: boolean;
  readonly onInterrupted: "tell-model" | "fail" | "ask";
}

/**
 * Defines a function that models can call.
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
 * @throws ConfigurationError for an invalid name, a missing description, or an input that is not an object schema or that no JSON value matches
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
  checkAll(title, options, toolChecks);
  if (typeof options.description !== "string" || !options.description.trim()) {
    throw new ConfigurationError(`${title}: give it a description; the model decides by it when to call the tool.`);
  }
  const external = options.external ?? false;
  if (external ? options.execute !== undefined : typeof options.execute !== "function") {
    const fault = external ? "is external, so it must have no execute." : "has no function execute.";
    throw new ConfigurationError(`${title} ${fault}`);
  }
  if (!("_zod" in Object(options.input))) throw new ConfigurationError(`${title}: ${objectRequired}`);
  const inputSchema = writableShape(title, options.input);
  if (inputSchema.type !== "object") {
    throw new ConfigurationError(`${title}: ${objectRequired}`);
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
    oauth: checkNeed(title, options.oauth),
    approval,
    execute: (options.execute ?? callerExecutes) as Tool["execute"],
    timeout: options.timeout,
    stopAfterCall: options.stopAfterCall ?? false,
    idempotent: options.idempotent ?? false,
    onInterrupted: options.onInterrupted ?? "tell-model",
  });
}

/** Returns a schema without the named properties. */
function without(
  schema: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  if (names.length === 0) return schema;
  const properties = Object.entries(Object(schema.properties)).filter(([name]) => !names.includes(name));
  const required = ((schema.required as readonly string[] | undefined) ?? []).filter((name) => !names.includes(name));
  return { ...schema, properties: Object.fromEntries(properties), required };
}

/** External tools are never executed on this server: their results arrive with the answer to the pause. */
function callerExecutes(): never {
  throw new Error("The caller of the run makes this call.");
}
