/** The name of an event without its kind: `RunStarted` for `TeamRunStarted` and `WorkflowStarted`. */
export function baseName(name: string): string {
  return name.replace(/^Team(?=[A-Z])/, "").replace(/^Workflow(?=[A-Z])/, "Run");
}

/** Whether an event contains reasoning before the run's first turn, as `reasoning_content`. Its `content`, if any, is the same in parts. */
export function isThought(base: string): boolean {
  return base === "ReasoningContentDelta" || base === "ReasoningStep";
}
