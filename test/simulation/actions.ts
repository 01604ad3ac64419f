/** Executes each action of a plan at its time. */
import type { Action } from "./plan.ts";
import type { SimulatedProcess } from "./process.ts";
import { start, wishCancel, wishDelete, wishSteer } from "./requests.ts";
import type { RootView } from "./views.ts";
import type { World } from "./world.ts";

type Of<K extends Action["kind"]> = Extract<Action, { kind: K }>;

/** Whether a client requests the action. A history continues until all these requests have succeeded. */
export function isOfClient({ kind }: Action): boolean {
  return (
    kind === "start" ||
    kind === "follow" ||
    kind === "drop" ||
    kind === "cancel" ||
    kind === "steer" ||
    kind === "delete"
  );
}

export function act(world: World, action: Action): void {
  switch (action.kind) {
    case "start":
      world.await(start(world, action));
      break;
    case "drop":
      world.starters.get(action.start)?.drop(action.away);
      break;
    case "follow":
    case "cancel":
    case "steer":
    case "delete":
    case "expire": {
      const root = world.started.get(action.start);
      if (root) actOn(world, root, action);
      break;
    }
    case "crash":
    case "pause":
    case "drain": {
      const process = world.processes[action.slot];
      if (process) strike(world, process, action);
      break;
    }
    case "publish": {
      world.versions.use(action.component, action.version);
      world.counts.published++;
      world.trace.add("world", `publishes ${action.component} ${action.version ?? "(code)"}`);
      world.anyServing()?.signals.publish({ topic: "components" });
      break;
    }
    case "outage":
      beginOutage(world, action);
      break;
    case "noise":
      world.faults.beginNoise(action);
      world.scheduler.after(action.lasts, undefined, () => world.faults.endNoise(action));
  }
}

function actOn(world: World, root: RootView, action: Of<"follow" | "cancel" | "steer" | "delete" | "expire">): void {
  if (action.kind === "follow") world.follow(root, `also ${action.start}`, action.reader);
  else if (action.kind === "cancel") world.await(wishCancel(world, root, action.by));
  else if (action.kind === "steer") world.await(wishSteer(world, root, action));
  else if (action.kind === "delete") world.await(wishDelete(world, root, action.slot, action.session));
  else {
    const firstKept = Math.floor(root.frames.length * action.share);
    const expiry = world.anyServing()?.store.expireEvents(root.key, firstKept);
    expiry?.catch(() => undefined);
  }
}

function strike(world: World, process: SimulatedProcess, action: Of<"crash" | "pause" | "drain">): void {
  if (action.kind === "crash") world.crash(process, action.restart);
  else if (action.kind === "pause") world.pause(process, action.lasts);
  else if (process.phase === "serving") {
    world.counts.drains++;
    process.drain(action.grace).then(
      () => world.scheduler.after(action.restart, undefined, () => world.launch(process.slot)),
      (error: unknown) => world.guarantees.fail("error", `${process.name} did not drain: ${error}`),
    );
  }
}

function beginOutage(world: World, outage: Of<"outage">): void {
  const { faults, scheduler, trace } = world;
  world.counts.outages++;
  trace.add("world", `outage of ${outage.slot ?? "all"} for ${outage.lasts.toFixed(0)} ms`);
  faults.beginOutage(outage);
  scheduler.after(outage.lasts, undefined, () => {
    const were = world.processes.filter((process) => process && faults.isAway(process.slot));
    faults.endOutage(outage);
    for (const process of were) if (process && !faults.isAway(process.slot)) process.signals.reconnect();
  });
}
