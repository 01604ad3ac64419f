/**
 * Rejects what a run was asked to do. Thrown by a tool, by instructions or by a step's function, it ends the run as failed with the error type `rejected`, and
 * by A2A the task as `rejected`. Its text goes to the caller as it is. The leader of a team is told of a member that rejects, and goes on.
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
