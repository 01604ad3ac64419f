/** Options of the model's context: earlier runs, their summary, and the compaction of long prompts. */
import type { LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
import { ConfigurationError } from "../errors.ts";
import { type Known, positive, refuseUnknown, text } from "./checks.ts";
import type { RunContext } from "./context.ts";

/** Earlier runs of the session that the model sees. */
export interface HistoryOptions {
  /** Number of the newest completed runs that are part of the prompt with all their messages. */
  readonly runs: number;
  /**
   * Replaces older runs by a summary, which a model extends when enough new runs have ended. `true`: the defaults. Default: older runs are
   * not part of the prompt.
   */
  readonly summary?: boolean | SummaryOptions;
}

/** When and how a session is summarised. */
export interface SummaryOptions {
  /** Number of runs, in addition to `history.runs`, after which the summary is extended. Default 10. */
  readonly runs?: number;
  /** Tokens of the runs since the summary after which it is extended earlier. An estimate. Default 50000. */
  readonly tokens?: number;
  /** Default: the component's model. */
  readonly model?: LanguageModelV4 | LanguageModelV3 | string;
  /** Instructions for the model that writes it, in addition to the built-in ones: "Keep every order number." */
  readonly instructions?: string;
}

/** A part of the conversation that a compaction replaces. */
export interface EarlierMessage {
  readonly role: "user" | "assistant" | "tool";
  /** The text, or the result of the tool. */
  readonly content: string;
  /** Calls of an assistant message: the name and the arguments as JSON. */
  readonly calls?: readonly { readonly name: string; readonly input: string }[];
  /** Name of the tool, for a result. */
  readonly tool?: string;
}

/** Returns the text that replaces earlier messages in the prompt. An error is logged, and the messages are truncated. */
export type CompactFunction = (earlier: readonly EarlierMessage[], context: RunContext) => string | Promise<string>;

/** The size of the prompt, and what happens when it nears the model's context window. */
export interface ContextOptions {
  /**
   * The model's context window, in tokens. Default: the window of the public price table. Prompts of a model without a known window are not
   * compacted.
   */
  readonly window?: number;
  /**
   * What happens before a model request whose prompt would use more than 80 % of the window. `truncate` (default): notes replace old tool
   * results, then old messages. `summarise`: the component's model summarises old messages in a request of its own. A function: its text replaces
   * old messages. `false`: the prompt is sent as it is.
   */
  readonly compaction?: "truncate" | "summarise" | CompactFunction | false;
  /**
   * Maximum characters of a tool result in the prompt, at least 1000. A longer result is stored: the model gets its beginning and an id, and reads
   * the rest with the tool `read_tool_result`. Default: results are not stored apart.
   */
  readonly maxToolResult?: number;
}

const historyOptions: Known<HistoryOptions> = { runs: true, summary: true };
const summaryOptions: Known<SummaryOptions> = { runs: true, tokens: true, model: true, instructions: true };
const contextOptions: Known<ContextOptions> = { window: true, compaction: true, maxToolResult: true };

/** Name of the built-in tool that reads stored results. */
export const readToolResult = "read_tool_result";

/** Minimum of `maxToolResult`: a shorter head tells the model too little. */
const minToolResult = 1000;

/** Rejects invalid options. The error names the component and the fix. */
export function checkContext(
  title: string,
  {
    history,
    context,
  }: { readonly history?: HistoryOptions | undefined; readonly context?: ContextOptions | undefined },
): void {
  if (history !== undefined) checkHistory(title, history);
  if (context !== undefined) checkWindow(title, context);
}

/** Rejects a tool with the name of the built-in tool, if the component has the built-in tool. */
export function refuseReadTool(
  title: string,
  { context }: { readonly context?: ContextOptions | undefined },
  tools: readonly { readonly name: string }[],
): void {
  if (context?.maxToolResult === undefined || !tools.some(({ name }) => name === readToolResult)) return;
  throw new ConfigurationError(
    `${title} has a tool named "${readToolResult}", and context.maxToolResult brings its own: rename the tool.`,
  );
}

function checkHistory(title: string, history: HistoryOptions): void {
  if (!isObject(history))
    throw new ConfigurationError(`${title}: history must be an object, for instance { runs: 5 }.`);
  refuseUnknown(`The history of ${title}`, history, historyOptions);
  const { runs, summary } = history;
  // Without types, the number may be missing: no run is then part of the prompt.
  if (runs !== undefined && !(Number.isInteger(runs) && runs >= 0)) {
    throw new ConfigurationError(`${title}: history.runs must be a whole number, 0 or more.`);
  }
  if (summary === undefined || typeof summary === "boolean") return;
  if (!isObject(summary)) {
    throw new ConfigurationError(`${title}: history.summary must be true or an object, for instance { runs: 10 }.`);
  }
  refuseUnknown(`The history.summary of ${title}`, summary, summaryOptions);
  checkWhole(title, "history.summary.runs", summary.runs, 1);
  checkWhole(title, "history.summary.tokens", summary.tokens, 1);
  const fault = summary.instructions === undefined ? undefined : text(summary.instructions);
  if (fault) throw new ConfigurationError(`${title}: history.summary.instructions ${fault}.`);
}

function checkWindow(title: string, context: ContextOptions): void {
  if (!isObject(context)) {
    throw new ConfigurationError(`${title}: context must be an object, for instance { window: 128_000 }.`);
  }
  refuseUnknown(`The context of ${title}`, context, contextOptions);
  checkWhole(title, "context.window", context.window, 1000);
  checkWhole(title, "context.maxToolResult", context.maxToolResult, minToolResult);
  const { compaction } = context;
  const isKnown = compaction === "truncate" || compaction === "summarise" || compaction === false;
  if (compaction !== undefined && !isKnown && typeof compaction !== "function") {
    throw new ConfigurationError(`${title}: context.compaction must be "truncate", "summarise", a function or false.`);
  }
}

function checkWhole(title: string, name: string, value: unknown, least: number): void {
  if (value === undefined) return;
  if (positive(value) === undefined && Number.isInteger(value) && Number(value) >= least) return;
  throw new ConfigurationError(`${title}: ${name} must be a whole number, ${least} or more.`);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
