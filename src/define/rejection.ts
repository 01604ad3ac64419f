/**
 * Rejects the task of a run. A tool, an instructions function or a step's function throws it. The run then fails with the error type
 * `rejected`, and its A2A task has the state `rejected`. The caller receives the message unchanged. When a team member rejects, its leader
 * receives the message and continues.
 *
 * @example
 * ```ts
 * const order = defineTool({
 *   name: "order",
 *   description: "Orders.",
 *   input: z.object({ euros: z.number() }),
 *   execute({ euros }) {
 *     if (euros > 10_000) throw new RunRejected("We take no orders above 10,000 euros.");
 *     return "ordered";
 *   },
 * });
 * ```
 */
export class RunRejected extends Error {
  override readonly name = "RunRejected";
}
