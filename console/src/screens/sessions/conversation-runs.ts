/** The runs of a session as a conversation: turns with their messages, and the runs of members and steps inside them. */

type Fields = Readonly<Record<string, unknown>>;

/** A message of a run, as its record has it. */
export interface WireMessage {
  readonly id?: string;
  readonly role: string;
  readonly content?: unknown;
  readonly reasoning_content?: string | null;
  readonly from_history?: boolean;
  readonly tool_calls?: readonly WireToolCall[] | null;
  readonly tool_call_id?: string;
  readonly tool_call_error?: boolean | null;
  readonly metrics?: { readonly total_tokens?: number; readonly duration?: number };
  readonly created_at?: number;
}

interface WireToolCall {
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

interface WireTool {
  readonly tool_call_id?: string | null;
  readonly child_run_id?: string | null;
  readonly result?: string | null;
  readonly tool_call_error?: boolean | null;
  readonly metrics?: { readonly duration?: number } | null;
}

export interface WireStep {
  readonly step_name?: string | null;
  readonly step_id?: string | null;
  readonly step_run_id?: string | null;
  readonly content?: unknown;
  readonly success?: boolean | null;
  readonly error?: string | null;
}

/** A media item. Lists omit the bytes. */
export interface WireMedia {
  readonly url?: string | null;
  readonly content?: string | null;
  readonly mime_type?: string | null;
  readonly filename?: string | null;
  readonly name?: string | null;
}

/** What a conversation shows of a run's record. */
export interface WireRun extends Fields {
  readonly run_id: string;
  readonly parent_run_id?: string | null;
  readonly status?: string | null;
  readonly agent_id?: string | null;
  readonly team_id?: string | null;
  readonly workflow_id?: string | null;
  readonly agent_name?: string | null;
  readonly team_name?: string | null;
  readonly run_input?: unknown;
  readonly content?: unknown;
  readonly reasoning_content?: string | null;
  readonly error_type?: string | null;
  /** Sources that the answer names. */
  readonly citations?: unknown;
  readonly created_at?: string | number | null;
  readonly messages?: readonly WireMessage[] | null;
  readonly tools?: readonly WireTool[] | null;
  readonly step_results?: readonly WireStep[] | null;
  readonly step_executor_runs?: readonly WireRun[] | null;
  readonly member_responses?: readonly WireRun[] | null;
  /** In lists; a whole record has `input` instead. */
  readonly input_media?: Fields | null;
  readonly input?: Fields | null;
  readonly metrics?: { readonly total_tokens?: number; readonly cost?: number; readonly duration?: number } | null;
}

/** A run with the runs below it. */
export interface Turn {
  readonly run: WireRun;
  readonly children: readonly Turn[];
}

/** A call of a tool, with its result. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly result: string | undefined;
  readonly hasFailed: boolean;
  /** Milliseconds. */
  readonly duration: number | undefined;
  /** The run of the member that the call delegates to. */
  readonly child: Turn | undefined;
}

/** A message as the page shows it. Results of tools are part of their call. */
export interface Message {
  readonly key: string;
  readonly role: "system" | "user" | "assistant";
  readonly text: string;
  readonly reasoning: string | undefined;
  readonly calls: readonly ToolCall[];
  /** Position among the run's answers of models; undefined for other messages. */
  readonly answer: number | undefined;
  readonly tokens: number | undefined;
}

/** Groups the elements of a page: root runs in their order, each with the runs below it. */
export function turnsIn(elements: readonly WireRun[]): readonly Turn[] {
  const known = new Set(elements.map(({ run_id }) => run_id));
  const below = Map.groupBy(elements, ({ parent_run_id: parent }) =>
    parent && known.has(parent) ? parent : undefined,
  );
  const toTurn = (run: WireRun): Turn => {
    const nested = [...(run.step_executor_runs ?? []), ...(run.member_responses ?? [])];
    const own = below.get(run.run_id) ?? [];
    const ids = new Set(own.map(({ run_id }) => run_id));
    return { run, children: [...own, ...nested.filter(({ run_id }) => !ids.has(run_id))].map(toTurn) };
  };
  return (below.get(undefined) ?? []).map(toTurn);
}

/** Tokens of a run, for a team with those of its members. */
export function tokensOf({ run, children }: Turn): number | undefined {
  const own = run.metrics?.total_tokens;
  if (own === undefined || !run.team_id) return own;
  return children.reduce((sum, child) => sum + (tokensOf(child) ?? 0), own);
}

/** The messages of a run. A run without a model has those of its record: its input and its answer. */
export function messagesOf({ run, children }: Turn): readonly Message[] {
  const own = (run.messages ?? []).filter(({ from_history: isOld, role }) => !isOld && role !== "tool");
  if (own.length === 0) return fromRecord(run);
  const results = new Map((run.messages ?? []).map((one) => [one.role === "tool" ? one.tool_call_id : undefined, one]));
  const tools = new Map((run.tools ?? []).map((one) => [one.tool_call_id, one]));
  let answers = 0;
  return own.map((message, at): Message => {
    const role = message.role === "user" || message.role === "assistant" ? message.role : "system";
    return {
      key: message.id ?? String(at),
      role,
      text: textOf(message.content),
      reasoning: message.reasoning_content || undefined,
      answer: role === "assistant" ? answers++ : undefined,
      tokens: message.metrics?.total_tokens,
      calls: (message.tool_calls ?? []).map((call): ToolCall => {
        const tool = tools.get(call.id);
        const result = results.get(call.id);
        const { name = "tool", arguments: args = "" } = call.function ?? {};
        const child = tool?.child_run_id;
        return {
          id: call.id ?? "",
          name,
          args: parsed(args),
          result: tool?.result ?? (result && textOf(result.content)),
          hasFailed: (tool?.tool_call_error ?? result?.tool_call_error) === true,
          duration: tool?.metrics?.duration === undefined ? undefined : tool.metrics.duration * 1000,
          child: children.find((one) => one.run.run_id === child),
        };
      }),
    };
  });
}

/** The runs below a run that no call of a tool and no step shows. */
export function otherChildren({ run, children }: Turn): readonly Turn[] {
  const shown = new Set([
    ...(run.tools ?? []).map(({ child_run_id: id }) => id),
    ...(run.step_results ?? []).map(({ step_run_id: id }) => id),
  ]);
  return children.filter((one) => !shown.has(one.run.run_id));
}

export function isInProgress({ status }: WireRun): boolean {
  return status === "RUNNING" || status === "PENDING";
}

/** The name of the component that answers. */
export function speakerOf({ agent_name, team_name, agent_id, team_id, workflow_id }: WireRun): string {
  return agent_name ?? team_name ?? agent_id ?? team_id ?? workflow_id ?? "Assistant";
}

export function mediaIn(media: Fields | null | undefined): readonly WireMedia[] {
  return ["images", "videos", "audio", "audios", "files"].flatMap((name) => {
    const list = media?.[name];
    return Array.isArray(list) ? (list as readonly WireMedia[]) : [];
  });
}

export function textOf(content: unknown): string {
  if (content === undefined || content === null) return "";
  return typeof content === "string" ? content : JSON.stringify(content, null, 2);
}

function fromRecord({ run_input: input, content, status }: WireRun): readonly Message[] {
  const message = (role: "user" | "assistant", text: string): Message => ({
    ...{ key: role, role, text, calls: [] },
    ...{ reasoning: undefined, answer: role === "assistant" ? 0 : undefined, tokens: undefined },
  });
  const answer = status === "ERROR" ? "" : textOf(content);
  return [message("user", textOf(input)), message("assistant", answer)].filter(({ text }) => text !== "");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
