/** The external effects of tools. Records every effect and fails on forbidden repetitions. */
import type { RunContext, ToolContext } from "../../src/define/context.ts";
import type { Tool } from "../../src/define/tool.ts";
import type { ToolName } from "./plan.ts";
import type { SimulatedProcess } from "./process.ts";
import type { World } from "./world.ts";

/** Downtime of a process that a tool or an instruction has killed. */
const restart = 150;

export class Effects {
  /** Number of executions per call: `run_id/tool_call_id`. */
  readonly made: Map<string, number> = new Map();
  readonly #kills = new Map<string, number>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Executes a tool call. */
  async use(process: SimulatedProcess, tool: Tool, takes: number, context: ToolContext): Promise<string> {
    const key = context.idempotencyKey;
    const count = (this.made.get(key) ?? 0) + 1;
    this.made.set(key, count);
    process.tell(`tool ${tool.name} ${key} (${count})`);
    this.#check(process, tool, context, count);
    const name = tool.name as ToolName;
    if (name === "poison" || (name === "fragile" && count === 1)) return this.#kill(process);
    await process.runtime.clock.sleep(takes, context.signal);
    context.signal.throwIfAborted();
    if (name === "note") context.session.state[key] = count;
    return `${name} took ${takes}`;
  }

  /** Instructions of the component that kills its process before the first write. */
  async instruct(process: SimulatedProcess, { runId, metadata }: RunContext): Promise<string> {
    const kills = this.#kills.get(runId) ?? 0;
    this.#kills.set(runId, kills + 1);
    if (kills < Number(metadata.kills ?? 0)) return this.#kill(process);
    return "Be brief.";
  }

  /** Kills the process in the middle of its work. */
  #kill(process: SimulatedProcess): Promise<string> {
    this.#world.crash(process, restart);
    return new Promise(() => undefined);
  }

  #check(process: SimulatedProcess, tool: Tool, context: ToolContext, count: number): void {
    const { guarantees } = this.#world;
    const { idempotencyKey: key, rootRunId } = context;
    const root = guarantees.byRunId.get(rootRunId);
    if (!root) {
      guarantees.fail("tool", `Tool ${tool.name} was called for ${key}, whose root run is not stored.`);
      return;
    }
    const attempt = process.journal.writers.get(root.key)?.attempt;
    if (attempt !== root.attempt || root.owner !== process.id || root.status !== "RUNNING")
      guarantees.fail(
        "L7",
        `${process.name} began ${key} as attempt ${attempt}, and ${root.owner} has attempt ${root.attempt}.`,
      );
    if (!root.announced.has(key)) guarantees.fail("tool", `${key} started before its ToolCallStarted was durable.`);
    if (count > 1 && !idempotent.has(tool.name as ToolName))
      guarantees.fail("tool", `${tool.name} ran ${count} times for ${key}.`);
  }
}

/** Tools whose calls may be repeated, independent of the definitions. */
export const idempotent: ReadonlySet<ToolName> = new Set(["lookup", "note", "fragile", "poison"]);
