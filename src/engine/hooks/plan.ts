/** The functions of a component that run at the points of its runs, in their order. */
import type { HookPoint } from "../../define/hooks.ts";
import type { Component } from "../../define/platform.ts";

/** A hook of a definition. */
export interface PointFunction {
  /** Name in events, errors and the log. */
  readonly name: string;
  readonly call: (given: object, context: object) => unknown;
}

/** All hooks of a component. */
export interface HookPlan {
  readonly points: Readonly<Record<HookPoint, readonly PointFunction[]>>;
  /** Maximum milliseconds of one call; undefined: the setting `toolTimeout`. */
  readonly timeout: number | undefined;
  /** Whether the text of a turn is emitted when its checks have ended, and not as it arrives. */
  readonly holdsText: boolean;
}

const points = ["beforeRun", "afterRun", "beforeModel", "afterModel", "beforeTool", "afterTool"] as const;

const plans = new WeakMap<Component, HookPlan | null>();

/** Returns the plan of a component; undefined for a component without hooks. */
export function hookPlanOf(component: Component): HookPlan | undefined {
  let plan = plans.get(component);
  if (plan === undefined) {
    plan = component.hooks ? planOf(component) : null;
    plans.set(component, plan);
  }
  return plan ?? undefined;
}

function planOf({ hooks = {} }: Component): HookPlan | null {
  const entries = points.map((point) => [point, functionsOf(point, hooks[point])] as const);
  if (entries.every(([, functions]) => functions.length === 0)) return null;
  const byPoint = Object.fromEntries(entries) as Record<HookPoint, readonly PointFunction[]>;
  return { points: byPoint, timeout: hooks.timeout, holdsText: byPoint.afterModel.length > 0 };
}

/** An anonymous function has the name of its point. */
function functionsOf(point: HookPoint, given: unknown): readonly PointFunction[] {
  const functions = (given === undefined ? [] : [given].flat()) as PointFunction["call"][];
  return functions.map((call) => ({ name: call.name || point, call }));
}
