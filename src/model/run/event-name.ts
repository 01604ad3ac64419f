/** The name of an event without its kind: `RunStarted` for `TeamRunStarted` and `WorkflowStarted`. */
export function baseName(name: string): string {
  return name.replace(/^Team(?=[A-Z])/, "").replace(/^Workflow(?=[A-Z])/, "Run");
}
