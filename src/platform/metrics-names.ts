/**
 * Bounds the label values of metrics: each name is one that the platform defines, the id of one of the first components without code, or `other`. Every distinct
 * value is a series of its own.
 */

import { ownTools } from "../define/mcp-server.ts";
import type { Platform } from "../define/platform.ts";
import { delegationTools, taskTools } from "../define/team.ts";
import { allComponents } from "../define/within.ts";
import { modelOf } from "../engine/model-call/models.ts";
import type { MeasuredComponent, MeasuredModel } from "../model/measurements.ts";

const other = "other";

/** Max components without a definition in code that a process counts by their ids. A name that is counted once stays: gauges go up and down by one name. */
export const maxNamedComponents = 200;

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export class KnownNames {
  readonly #components: Set<string>;
  readonly #maxComponents: number;
  readonly #models: ReadonlySet<string>;
  readonly #tools: ReadonlySet<string>;

  /** The models of the platform must be resolved. */
  constructor(platform: Platform) {
    const { agents, teams, workflows, factories, remotes } = platform;
    const hosted = [...agents, ...teams, ...workflows, ...factories, ...remotes];
    const components = allComponents(platform);
    this.#components = new Set(hosted.map(({ kind, id }) => `${kind} ${id}`));
    this.#models = new Set(components.map((component) => nameOf(modelOf(component))));
    this.#maxComponents = this.#components.size + maxNamedComponents;
    const tools = [...components, { tools: platform.parts.tools ?? [] }].flatMap((component) =>
      ownTools(component).map(({ name }) => name),
    );
    this.#tools = new Set([...tools, ...Object.values(delegationTools), ...Object.values(taskTools)]);
  }

  method(method: string): string {
    return methods.has(method) ? method : other;
  }

  /** A run exists only for a component that exists, so no caller can choose the name. */
  component({ kind, componentId }: MeasuredComponent): { readonly kind: string; readonly component: string } {
    const name = `${kind} ${componentId}`;
    if (this.#components.size < this.#maxComponents) this.#components.add(name);
    return { kind, component: this.#components.has(name) ? componentId : other };
  }

  model(model: MeasuredModel): { readonly model: string; readonly provider: string } {
    if (this.#models.has(nameOf(model))) return { model: model.id, provider: model.provider };
    return { model: other, provider: other };
  }

  tool(tool: string): string {
    return this.#tools.has(tool) ? tool : other;
  }
}

function nameOf({ id, provider }: MeasuredModel): string {
  return `${provider} ${id}`;
}
