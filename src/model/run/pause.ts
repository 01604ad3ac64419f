/** The requirements of a paused run: its waiting calls, and the texts that describe them. */
import type { Answered, Pause, RunOutput, ToolExecution, ToolRequirement } from "./record.ts";
import type { ComponentKind, RunStatus } from "./run.ts";

/** The sentence that describes what the calls wait for. */
export function pauseText({ text, requirements = [] }: Pause): string {
  if (text !== undefined) return text;
  const [first] = requirements;
  if (first?.tool_execution.requires_confirmation) return "I have tools to execute, but I need confirmation.";
  if (first?.tool_execution.requires_user_input) return "I have tools to execute, but I need user input.";
  return "I have tools to execute, but it needs external execution.";
}

/** The content of a paused run's record; for a team, names the waiting calls. Undefined for a run that does not wait for calls. */
export function pausedContent(
  kind: ComponentKind,
  status: RunStatus,
  { pause }: Pick<Partial<RunOutput>, "pause">,
): string | undefined {
  if (status !== "PAUSED" || !pause?.requirements) return undefined;
  return kind === "team" ? teamPauseText(pause) : pauseText(pause);
}

function teamPauseText({ text, requirements = [] }: Pause): string {
  if (text !== undefined) return text;
  const lines = requirements.map(({ member_agent_name, tool_execution }) => {
    const { tool_name, requires_confirmation, requires_user_input } = tool_execution;
    const what = requires_confirmation ? "confirmation" : requires_user_input ? "user input" : "external execution";
    return `- ${member_agent_name ?? "team"}: ${tool_name} requires ${what}`;
  });
  return ["Team run paused. The following require input:", ...lines].join("\n");
}

/** The calls that a paused run shows as unfinished. */
export function openCalls({ tools, requirements = [] }: Pause): readonly ToolExecution[] {
  return tools ?? requirements.map(({ tool_execution }) => tool_execution);
}

/** The tool calls in the answers: the run's own, its members', and its steps' executors'. */
export function callsIn({ requirements = [], stepRequirements = [] }: Answered): readonly ToolRequirement[] {
  return [
    ...requirements,
    ...stepRequirements.flatMap((step) => (step.executor_requirements ?? []) as readonly ToolRequirement[]),
  ];
}
