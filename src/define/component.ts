import type { LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
import { ConfigurationError } from "../errors.ts";
import type { SessionPolicy } from "../model/run.ts";
import { faultOfId } from "../model/text.ts";
import type { Known } from "./checks.ts";
import type { RunContext } from "./context.ts";

/** A model: any AI SDK language model, or `provider:model` (`openai:gpt-5.2`), resolved at start-up. */
export type Model = LanguageModelV4 | LanguageModelV3 | string;

/** Instructions: text, several texts, or a function of the run. */
export type Instructions<
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
> = string | readonly string[] | ((context: RunContext<State, Dependencies>) => string | Promise<string>);

/** How the model is called; what is left out is up to the provider. */
export interface ModelSettings {
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly stopSequences?: readonly string[];
  /** Options of the provider, by provider name, handed through. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** What agents and teams have in common. */
export interface ComponentOptions<
  Id extends string = string,
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
> {
  /** Identifier in URLs: at most 255 characters, no control characters, no slash. */
  readonly id: Id;
  /** Name for people. Default: the id. */
  readonly name?: string;
  readonly description?: string;
  /** What a team's leader is told this member is for. */
  readonly role?: string;
  readonly model: Model;
  readonly modelSettings?: ModelSettings;
  readonly instructions?: Instructions<State, Dependencies>;
  /** How many earlier runs of the session the model is shown. Default: none. */
  readonly history?: { readonly runs: number };
  /** State of a new session. Its type is that of `session.state` in the instructions; there every key may be missing. */
  readonly sessionState?: Readonly<State>;
  /** Values handed to instructions and tools; a start may add to them. */
  readonly dependencies?: Readonly<Dependencies>;
  /** Most model turns of one run. Default: `maxSteps` of the settings. */
  readonly maxSteps?: number;
  /** Milliseconds a run may take. Default: `runTimeout` of the settings. */
  readonly timeout?: number;
  /** Tries of one model call, the first included. Default: `modelTries` of the settings. */
  readonly modelTries?: number;
  /**
   * What happens to a run under way when a new version of its definition is deployed. `resume` (default): it goes on where what it needs
   * next is still there, else it fails with a clear text. `fail`: it fails. `ask`: it pauses, and a person continues or cancels it.
   */
  readonly onDefinitionChange?: "resume" | "fail" | "ask";
  /** What a run does while another of its session is unfinished. Default `queue`. */
  readonly sessionPolicy?: SessionPolicy;
  /**
   * Media types that messages by A2A may have, as the card declares them: `image/png`, `image/*`. Default: `text/plain`, `application/json` and those
   * of files that the model's provider declares. A message of another type is refused.
   */
  readonly inputModes?: readonly string[];
  /**
   * What a message by A2A that begins something is answered with. `task` (default). `message`: the answer alone, for a component that needs no task; a run
   * that waits, fails or has made artifacts is a task all the same, and so is one that its sender does not wait for.
   */
  readonly a2aAnswer?: "task" | "message";
}

/** The options that agents and teams share. */
export const componentOptions: Known<ComponentOptions> = {
  id: true,
  name: true,
  description: true,
  role: true,
  model: true,
  modelSettings: true,
  instructions: true,
  history: true,
  sessionState: true,
  dependencies: true,
  maxSteps: true,
  timeout: true,
  modelTries: true,
  onDefinitionChange: true,
  sessionPolicy: true,
  inputModes: true,
  a2aAnswer: true,
};

/** Fails for an id or a name that nothing hosted can have, naming the component and the fix. */
export function checkIdentity(
  kind: "Agent" | "Team" | "Workflow",
  options: { readonly id: string; readonly name?: string | undefined; readonly timeout?: number | undefined },
): void {
  const title = `${kind} "${options.id}"`;
  const fault = typeof options.id === "string" ? faultOfId(options.id) : "must be a text";
  if (fault) throw new ConfigurationError(`${title}: its id ${fault}.`);
  if (/[/\\?#%]/.test(options.id)) {
    throw new ConfigurationError(
      `${title}: its id must not hold / \\ ? # or %, because it is part of URLs. Use letters, digits and "-".`,
    );
  }
  const { name, timeout } = options;
  if (name !== undefined && (name.trim() === "" || !name.isWellFormed() || name.includes("\0"))) {
    throw new ConfigurationError(`${title}: its name must be a text that is not empty.`);
  }
  if (timeout !== undefined && !(Number.isFinite(timeout) && timeout > 0)) {
    throw new ConfigurationError(`${title}: timeout must be a number above 0.`);
  }
}

/** Fails for what no component can be by A2A: input modes that are no media types, another kind of answer. */
export function checkA2a(
  title: string,
  { inputModes: modes, a2aAnswer = "task" }: Pick<ComponentOptions, "inputModes" | "a2aAnswer">,
): void {
  if (a2aAnswer !== "task" && a2aAnswer !== "message") {
    throw new ConfigurationError(`${title}: a2aAnswer must be "task" or "message".`);
  }
  const isType = (mode: unknown): boolean => typeof mode === "string" && /^[\w.+*-]+\/[\w.+*-]+$/.test(mode);
  if (modes === undefined || (Array.isArray(modes) && modes.length > 0 && modes.every(isType))) return;
  throw new ConfigurationError(
    `${title}: inputModes must be a list of media types, for instance ["text/plain", "image/*"].`,
  );
}

/** Fails for options no component can have, naming the component and the fix. */
export function checkComponent(kind: "Agent" | "Team", options: ComponentOptions): void {
  const title = `${kind} "${options.id}"`;
  checkIdentity(kind, options);
  if (!options.model) {
    throw new ConfigurationError(
      `${title} has no model: give it one, for instance model: openai("gpt-5.2") or model: "openai:gpt-5.2".`,
    );
  }
  if (typeof options.model === "string" && !/^[a-z0-9-]+:.+$/i.test(options.model)) {
    throw new ConfigurationError(
      `${title}: model "${options.model}" is not of the form provider:model, for instance "openai:gpt-5.2".`,
    );
  }
  for (const field of ["maxSteps", "modelTries"] as const) {
    const value = options[field];
    if (value !== undefined && !(Number.isFinite(value) && value > 0)) {
      throw new ConfigurationError(`${title}: ${field} must be a number above 0.`);
    }
  }
  checkA2a(title, options);
  const runs = options.history?.runs;
  if (runs !== undefined && !(Number.isInteger(runs) && runs >= 0)) {
    throw new ConfigurationError(`${title}: history.runs must be a whole number, 0 or more.`);
  }
}
