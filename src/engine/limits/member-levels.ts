/** The limits of a member's own definition. */
import { recordedRequests } from "../../model/run/recorded-request.ts";
import type { Clock } from "../../model/runtime.ts";
import { keysUnder } from "../pause/answered-questions.ts";
import type { Recovery } from "../run/recovery.ts";
import type { RunIdentity } from "../run/run-identity.ts";
import { boundsOf, ownerOf } from "./bounds.ts";
import { Level } from "./level.ts";

/** Returns the level of a member's own limits, with what it used in earlier attempts; no level if its definition has none. */
export function memberLevels(
  { key, component, messages, marks }: Pick<RunIdentity, "key" | "component" | "messages" | "marks">,
  recovery: Recovery | undefined,
  clock: Clock,
): readonly Level[] {
  const bounds = boundsOf(...ownerOf(component), component.limits);
  if (bounds.length === 0) return [];
  const level = new Level(bounds, false, clock);
  const keys = recovery && keysUnder(recovery, key);
  const below = recovery?.members.filter(({ row }) => row.key !== key && keys?.has(row.key)) ?? [];
  const requests = [marks, ...below.map((member) => member.marks)].flatMap(recordedRequests);
  level.restore([...messages, ...below.flatMap((member) => member.messages)], recovery?.pauses ?? [], requests);
  return [level];
}
