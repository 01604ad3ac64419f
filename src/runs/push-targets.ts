/** Push targets of the runs that a caller may see. */
import type { Principal } from "../model/principal.ts";
import type { PushService, PushTarget, PushTargetPage } from "../model/push.ts";
import { findRun, type RunName } from "./find.ts";
import type { RunParts } from "./parts.ts";

/** The calls on push targets. All except `read` throw `notFound` for a run that the caller may not see. */
export interface PushTargetCalls {
  /** As in `PushService`. */
  readonly read: PushService["read"];
  /** Stores a target of a run. It receives changes from now on. @throws TroupeError `notFound`, `validation` (one target too many) */
  put(caller: Principal, name: RunName, target: PushTarget): Promise<void>;
  /** The target with this id, or the only target of the run. @throws TroupeError `notFound` */
  find(caller: Principal, name: RunName, id: string | undefined): Promise<PushTarget>;
  list(
    caller: Principal,
    name: RunName,
    page: { pageSize?: number | undefined; pageToken?: string | undefined },
  ): Promise<PushTargetPage>;
  /** Deletes a target, or the only target of the run. @throws TroupeError `notFound` (no id, and no or several targets) */
  remove(caller: Principal, name: RunName, id: string | undefined): Promise<void>;
}

/** Undefined on a platform without push notifications. */
export function pushTargetCalls(parts: Pick<RunParts, "registry" | "store" | "pushes">): PushTargetCalls | undefined {
  const { pushes } = parts;
  if (!pushes) return undefined;
  const keyOf = async (caller: Principal, name: RunName): Promise<number> => (await findRun(parts, caller, name)).key;
  return {
    read: (...call) => pushes.read(...call),
    put: async (caller, name, target) => await pushes.put(await keyOf(caller, name), target),
    find: async (caller, name, id) => await pushes.find(await keyOf(caller, name), id),
    list: async (caller, name, page) => await pushes.list(await keyOf(caller, name), page),
    async remove(caller, name, id) {
      const key = await keyOf(caller, name);
      await pushes.remove(key, id ?? (await pushes.find(key, undefined)).id);
    },
  };
}
