/** What the functions of a point may return. */
import type { ApprovalRequest, HookPoint, Refusal } from "../../define/hooks.ts";

/** The result of one call, as a mark stores it. Empty if nothing changes. */
export type Outcome = Partial<Refusal & ApprovalRequest> & Readonly<Record<string, unknown>>;

const isText = (value: unknown): boolean => typeof value === "string";
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
const isFlag = (value: unknown): boolean => value === undefined || typeof value === "boolean";
const areTexts = (value: unknown): boolean => isObject(value) && Object.values(value as object).every(isText);

type Members = Readonly<Record<string, (value: unknown) => boolean>>;

const refusal = { refuse: isText };
const decision = { ...refusal, askApproval: isText };

const members: Readonly<Record<HookPoint, Members>> = {
  beforeRun: { ...decision, input: isText },
  beforeModel: { ...decision, system: isText, contents: areTexts },
  afterModel: { ...refusal, text: isText },
  beforeTool: { ...decision, input: isObject, result: isText, isError: isFlag },
  afterTool: { ...refusal, result: isText },
  afterRun: refusal,
};

/** Returns what a function returned; undefined if the point does not accept it. */
export function readOutcome(point: HookPoint, returned: unknown): Outcome | undefined {
  if (returned === undefined || returned === null) return {};
  if (!isObject(returned)) return undefined;
  const entries = Object.entries(returned as object).filter(([, value]) => value !== undefined);
  return entries.every(([name, value]) => members[point][name]?.(value)) ? Object.fromEntries(entries) : undefined;
}

/** Returns one word for the outcome, for events. */
export function describeOutcome({ refuse, askApproval, ...changes }: Outcome): string {
  if (refuse !== undefined) return "refused";
  if (askApproval !== undefined) return "asked";
  return Object.keys(changes).length > 0 ? "changed" : "passed";
}
