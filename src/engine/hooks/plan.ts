/** The functions of a component that run at the points of its runs, in their order: hooks, then guardrails, which see what hooks have changed. */
import type { Model } from "../../define/component.ts";
import type { Guardrail, GuardrailContext, GuardrailPlace } from "../../define/guardrails/guardrail.ts";
import { redactorOf, redactValue } from "../../define/guardrails/redact.ts";
import type { HookPoint } from "../../define/hooks.ts";
import type { Component } from "../../define/platform.ts";
import { jsonIn } from "../model-call/answer-schema.ts";

/** Facts that guardrails need, and hooks do not receive. */
export interface PointFacts {
  /** Names of the guardrails that removed text from the input before it was stored. */
  readonly redactedBy?: readonly string[] | undefined;
  /** Whether the text is a structured answer. */
  readonly isJson?: boolean;
}

/** A hook or a guardrail of a definition. */
export interface PointFunction {
  /** Name in events, errors and the log. */
  readonly name: string;
  /** Set for a guardrail: its context can request a value from a model. */
  readonly guardrail?: { readonly model: Model | undefined };
  readonly call: (given: object, context: object, facts: PointFacts) => unknown;
}

/** When clients receive the text of a turn: as it arrives, at the ends of its sentences, or when its checks have ended. */
export type TextDisplay = "deltas" | "sentences" | "checked";

/** All hooks and guardrails of a component. */
export interface HookPlan {
  readonly points: Readonly<Record<HookPoint, readonly PointFunction[]>>;
  /** The functions that check messages to the live run. */
  readonly messages: readonly PointFunction[];
  /** The functions that check an answer that is no text of a turn. */
  readonly answers: readonly PointFunction[];
  /** Maximum milliseconds of one call; undefined: the setting `toolTimeout`. */
  readonly timeout: number | undefined;
  readonly display: TextDisplay;
  /** Redacts the text of answers. */
  readonly redact: ((text: string) => string) | undefined;
}

const points = ["beforeRun", "afterRun", "beforeModel", "afterModel", "beforeTool", "afterTool"] as const;

/** The points of guardrails, and the member of the point's data that is the text. */
const guarded: Readonly<Record<GuardrailPlace, { readonly point: HookPoint; readonly field: string }>> = {
  input: { point: "beforeRun", field: "input" },
  output: { point: "afterModel", field: "text" },
  toolResults: { point: "afterTool", field: "result" },
};

const plans = new WeakMap<Component, HookPlan | null>();

/** Returns the plan of a component; undefined for a component without hooks and guardrails. */
export function hookPlanOf(component: Component): HookPlan | undefined {
  let plan = plans.get(component);
  if (plan === undefined) {
    plan = component.hooks || component.guardrails?.length ? planOf(component) : null;
    plans.set(component, plan);
  }
  return plan ?? undefined;
}

function planOf(component: Component): HookPlan {
  const { hooks = {}, guardrails = [] } = component;
  const guardsAt = (place: GuardrailPlace): readonly PointFunction[] =>
    guardrails.filter(({ on }) => on.includes(place)).map((guardrail) => toFunction(guardrail, place));
  const functionsAt = (point: HookPoint): readonly PointFunction[] => {
    const place = (Object.keys(guarded) as GuardrailPlace[]).find((one) => guarded[one].point === point);
    return [...hooksOf(point, hooks[point]), ...(place ? guardsAt(place) : [])];
  };
  const onOutput = guardrails.filter(({ on }) => on.includes("output"));
  const splits = onOutput.every(({ redactsWindows, check }) => redactsWindows && !check) && !hooks.afterModel;
  return {
    points: Object.fromEntries(points.map((point) => [point, functionsAt(point)])) as HookPlan["points"],
    messages: guardsAt("input"),
    answers: guardsAt("output"),
    timeout: hooks.timeout,
    display: onOutput.length === 0 && !hooks.afterModel ? "deltas" : splits ? "sentences" : "checked",
    redact: redactorOf(component, "output"),
  };
}

/** An anonymous function has the name of its point. */
function hooksOf(point: HookPoint, given: unknown): readonly PointFunction[] {
  const functions = (given === undefined ? [] : [given].flat()) as PointFunction["call"][];
  return functions.map((hook) => ({ name: hook.name || point, call: (data, context) => hook(data, context, {}) }));
}

/** The members of a point's data that guardrails read. */
interface GuardedData extends Readonly<Record<string, unknown>> {
  readonly reasoning?: string;
  readonly toolCalls?: readonly unknown[];
  readonly tool?: string;
}

function toFunction(guardrail: Guardrail, place: GuardrailPlace): PointFunction {
  const { name, model, redact, refusal, check } = guardrail;
  const { field } = guarded[place];
  return {
    name,
    guardrail: { model },
    async call(given, context, { redactedBy = [], isJson = false }) {
      const { [field]: value, reasoning, toolCalls = [], tool } = given as GuardedData;
      const original = value as string;
      if (place === "output" && original === "") return undefined;
      const text = redact ? (isJson ? redactJson(original, redact) : redact(original)) : original;
      const isRedacted = text !== original || (place === "input" && redactedBy.includes(name));
      if (isRedacted && refusal !== undefined) return { refuse: refusal };
      const about = { text, place, reasoning, tool, hasToolCalls: toolCalls.length > 0 };
      const verdict = await check?.(about, context as GuardrailContext);
      if (verdict && !("text" in verdict)) return verdict;
      const final = verdict?.text ?? text;
      return isRedacted || final !== original ? { [field]: final } : undefined;
    },
  };
}

/** Redacts the values of a structured answer, so that it stays JSON. */
function redactJson(text: string, redact: (text: string) => string): string {
  const value = jsonIn(text);
  if (value === undefined) return redact(text);
  const changed = JSON.stringify(redactValue(value, redact));
  return changed === JSON.stringify(value) ? redact(text) : changed;
}
