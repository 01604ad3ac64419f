/** The schedule service: creates, reads and changes schedules for callers. */
import type { AccessControl } from "../auth/access-control.ts";
import { TroupeError } from "../errors.ts";
import { ownSpace, type Principal } from "../model/principal.ts";
import type { Runtime } from "../model/runtime.ts";
import { once } from "../model/schedule/cron.ts";
import type { Fire, Schedule, SchedulePlan, StandingGrant } from "../model/schedule/schedule.ts";
import type { ScheduleService } from "../model/schedule/service.ts";
import type { Runs } from "../runs/runs.ts";
import type { StartCommand } from "../runs/start.ts";
import type { ScheduleChanges, ScheduleStore } from "../store/contract/schedules.ts";
import type { FoundRoute, InternalRoutes } from "./internal-routes.ts";
import { firstTick } from "./plan.ts";
import type { Poller } from "./poller.ts";

/** Dependencies of the service. */
export interface ServiceParts {
  readonly schedules: ScheduleStore;
  readonly gate: Pick<AccessControl, "standingGrant" | "actingFor">;
  readonly routes: InternalRoutes;
  readonly runs: Pick<Runs, "checkVersion">;
  readonly poller: Poller;
  readonly runtime: Runtime;
  readonly processId: string;
  readonly platformId: string;
}

export class Schedules implements ScheduleService {
  readonly #parts: ServiceParts;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  async create(caller: Principal, plan: SchedulePlan): Promise<Schedule> {
    const { schedules, runtime, poller } = this.#parts;
    const grant = await this.#grantFor(caller, plan);
    const now = await schedules.now();
    const made: Schedule = {
      ...plan,
      ...{ id: runtime.randomness.uuid(), owner: ownSpace(caller), enabled: true, disabledReason: null },
      nextRunAt: firstTick({ ...plan, fires: 0 }, now),
      ...{ fires: 0, failures: 0, platform: null, grant, createdAt: now, updatedAt: null },
    };
    if (!(await schedules.create(made))) throw nameTaken(plan.name);
    poller.wake();
    return made;
  }

  list(caller: Principal, query: Parameters<ScheduleService["list"]>[1]): ReturnType<ScheduleService["list"]> {
    return this.#parts.schedules.list(caller, query);
  }

  async get(caller: Principal, id: string): Promise<Schedule> {
    const found = await this.#parts.schedules.find(caller, id);
    if (!found) throw new TroupeError("notFound", "Schedule not found");
    return found;
  }

  async change(caller: Principal, id: string, changes: Partial<SchedulePlan>): Promise<Schedule> {
    const before = await this.get(caller, id);
    if (Object.keys(changes).length === 0) return before;
    if (before.platform !== null) {
      throw new TroupeError("conflict", "The schedule is defined in the code of its platform: change it there.");
    }
    checkConsistent({ ...before, ...changes }, changes);
    const isOther = "endpoint" in changes || "method" in changes || "payload" in changes;
    const grant = isOther ? { grant: await this.#grantFor(caller, { ...before, ...changes }) } : {};
    const isMoved = ["cronExpr", "timezone", "runAt", "endsAt", "maxFires"].some((name) => name in changes);
    const fresh = "runAt" in changes || "maxFires" in changes ? { fires: 0 } : {};
    return await this.#update(caller, before, (stored, now) => {
      const after = { ...changes, ...grant, ...fresh, updatedAt: now };
      const isRhythm = changes.cronExpr !== undefined && changes.cronExpr !== once;
      const whole = { ...stored, ...after, ...(isRhythm ? { runAt: null } : {}) };
      return isMoved && stored.enabled ? { ...whole, nextRunAt: firstTick(whole, now) } : whole;
    });
  }

  async setEnabled(caller: Principal, id: string, enabled: boolean): Promise<Schedule> {
    const before = await this.get(caller, id);
    if (!enabled) {
      return await this.#update(caller, before, (_, updatedAt) => ({ enabled, disabledReason: null, updatedAt }));
    }
    // A schedule that was disabled because it lost its grant needs a new one: the grant of the caller that enables it.
    const grant =
      before.disabledReason === null || before.platform !== null
        ? {}
        : { grant: this.#grantOf(caller, this.#routeOf(before), before.payload) };
    const fresh = { enabled, disabledReason: null, failures: 0, ...grant };
    return await this.#update(caller, before, (stored, now) => {
      const next = stored.enabled ? {} : { nextRunAt: firstTick(stored, now) };
      return { ...fresh, ...next, updatedAt: now };
    });
  }

  async remove(caller: Principal, id: string): Promise<void> {
    const { platform } = await this.get(caller, id);
    // A schedule with another platform id may come from an earlier id of this platform. No start of the platform would delete it, so callers may delete it.
    if (platform === this.#parts.platformId) {
      const advice = "disable it, or take it out of the code: the next start deletes it";
      throw new TroupeError("conflict", `The schedule is defined in the code of its platform: ${advice}.`);
    }
    if (!(await this.#parts.schedules.remove(id))) throw new TroupeError("notFound", "Schedule not found");
  }

  async trigger(caller: Principal, id: string): Promise<Fire> {
    const { schedules, poller, runtime, processId } = this.#parts;
    const schedule = await this.get(caller, id);
    if (!schedule.enabled) throw new TroupeError("conflict", "Schedule is disabled");
    if (!poller.isRunning) throw new TroupeError("unsupported", "Scheduler is not running");
    const { uuid } = runtime.randomness;
    const ids = { id: uuid(), runId: uuid(), tick: null, attempt: 1, status: "waiting", queues: false } as const;
    const claimed = await schedules.createClaimed(id, { ...ids, dueAt: 0 }, processId);
    if (!claimed) throw new TroupeError("notFound", "Schedule not found");
    const last = await poller.runFire(claimed);
    const fire = await schedules.findFire(id, last);
    if (!fire) throw new TroupeError("notFound", "Schedule not found");
    return fire;
  }

  async listFires(
    caller: Principal,
    id: string,
    page: Parameters<ScheduleService["listFires"]>[2],
  ): ReturnType<ScheduleService["listFires"]> {
    await this.get(caller, id);
    return await this.#parts.schedules.listFires(id, page);
  }

  async getFire(caller: Principal, id: string, fireId: string): Promise<Fire> {
    await this.get(caller, id);
    const fire = await this.#parts.schedules.findFire(id, fireId);
    if (!fire) throw new TroupeError("notFound", "Schedule run not found");
    return fire;
  }

  async #update(
    caller: Principal,
    { id, name }: Schedule,
    changes: (stored: Schedule, now: number) => ScheduleChanges,
  ): Promise<Schedule> {
    let wanted = name;
    const outcome = await this.#parts.schedules.update(id, (stored, now) => {
      const made = changes(stored, now);
      wanted = made.name ?? name;
      return made;
    });
    if (outcome === "exists") throw nameTaken(wanted);
    this.#parts.poller.wake();
    return await this.get(caller, id);
  }

  /**
   * Returns the grant for a schedule that is created or gets another endpoint. The scopes are checked first, so that a caller without them
   * does not learn whether the call could succeed.
   */
  async #grantFor(caller: Principal, plan: SchedulePlan): Promise<StandingGrant> {
    const route = this.#routeOf(plan);
    const grant = this.#grantOf(caller, route, plan.payload);
    route.check(plan.payload);
    const start = route.toStart?.(plan.payload);
    // The fires start runs with the grant only: it permits no draft, even if the caller may write components.
    if (start?.version !== undefined) await this.#checkVersion(await this.#parts.gate.actingFor(grant), start);
    return grant;
  }

  async #checkVersion(caller: Principal, start: StartCommand): Promise<void> {
    try {
      await this.#parts.runs.checkVersion(caller, start, start.version);
    } catch (error) {
      if (!(error instanceof TroupeError && error.code === "notFound")) throw error;
      const msg = `Value error, ${error.message}`;
      const fault = { type: "value_error", loc: ["body", "payload", "version"], msg, input: start.version };
      throw new TroupeError("validation", `body.payload.version: ${msg}`, { faults: [fault] });
    }
  }

  #grantOf(caller: Principal, route: FoundRoute, payload: SchedulePlan["payload"]): StandingGrant {
    const { gate } = this.#parts;
    const grant = gate.standingGrant(caller, route.demand, route.id);
    const start = route.startDemand?.(payload);
    const scopes = start ? gate.standingGrant(caller, start.demand, start.id).scopes : [];
    return { ...grant, scopes: [...new Set([...grant.scopes, ...scopes])] };
  }

  #routeOf({ method, endpoint }: Pick<SchedulePlan, "method" | "endpoint">): FoundRoute {
    const route = this.#parts.routes.find(method, endpoint);
    if (route) return route;
    const msg = `Value error, this platform has no ${method} ${endpoint} that a schedule may call`;
    const fault = { type: "value_error", loc: ["body", "endpoint"], msg, input: endpoint };
    throw new TroupeError("validation", `body.endpoint: ${msg}`, { faults: [fault] });
  }
}

/** Checks rules that involve several fields of the schedule. @throws TroupeError `validation` */
function checkConsistent({ cronExpr, runAt }: SchedulePlan, changes: Partial<SchedulePlan>): void {
  const isOnce = cronExpr === once;
  const msg =
    isOnce && runAt === null
      ? `Value error, ${once} needs the time run_at, in seconds`
      : !isOnce && typeof changes.runAt === "number"
        ? `Value error, run_at goes with the cron_expr ${once}`
        : undefined;
  if (msg === undefined) return;
  const input = runAt === null ? null : runAt / 1_000;
  const fault = { type: "value_error", loc: ["body", "run_at"], msg, input };
  throw new TroupeError("validation", `body.run_at: ${msg}`, { faults: [fault] });
}

function nameTaken(name: string): TroupeError {
  return new TroupeError("conflict", `Schedule with name '${name}' already exists`);
}
