/** Requests of clients other than reads: starts, cancels, deletes. */
import type { StartRequest } from "../../src/engine/contract.ts";
import { isUnavailable, TroupeError } from "../../src/errors.ts";
import { open, system } from "../../src/model/principal.ts";
import { isTerminal } from "../../src/model/run/run.ts";
import { mayRetry, NoAnswer, request } from "./client.ts";
import { metered } from "./components.ts";
import type { Action } from "./plan.ts";
import type { SimulatedProcess } from "./process.ts";
import { kindOf } from "./versions.ts";
import type { RootView } from "./views.ts";
import type { World } from "./world.ts";

const patience = 300;

/**
 * Starts a run. Retries a rejected start, and a start with a lost response if the client insists. Every second client sends an idempotency key:
 * with a key there is one run, else there may be two. Plans with deletions use no key: a repeated start after a deletion creates another run.
 */
export async function start(world: World, action: Extract<Action, { kind: "start" }>): Promise<void> {
  const { component, session, script, dispatch, kills } = action;
  const kind = kindOf(component);
  const isKeyed = action.name % 2 === 0 && !world.plan.actions.some(({ kind: what }) => what === "delete");
  const key = isKeyed ? `start ${action.name}` : undefined;
  for (let tries = 0; ; tries++) {
    const process = await someProcess(world, tries === 0 ? action.slot : undefined);
    const sent = isKeyed ? undefined : `start ${action.name}, try ${tries}`;
    const said = world.plan.versions ? { ...script, start: sent ?? key } : script;
    try {
      const losesAnswer = action.losesAnswer && tries === 0;
      const accepted = await request(
        world,
        process,
        async () => {
          const asked: StartRequest = {
            ...{ kind, componentId: component, message: JSON.stringify(said), media: [], sessionId: session },
            ...{
              userId: `user ${action.name % 2}`,
              options: { metadata: { kills, key, sent } },
              idempotency: key === undefined ? undefined : { key, fingerprint: component },
              execution: dispatch ? "dispatch" : "now",
            },
          };
          try {
            return await process.engine.start(open, asked);
          } catch (error) {
            if (sent !== undefined && isUnavailable(error)) world.guarantees.withdrawn.add(sent);
            throw error;
          }
        },
        losesAnswer,
      );
      const root = world.guarantees.roots.get(accepted.key);
      world.trace.add("client", `received run ${accepted.key} from ${process.name}`);
      if (!root) return world.guarantees.fail("L2", `Run ${accepted.key} was accepted, but is not stored.`);
      world.started.set(action.name, root);
      if (action.reader.reads)
        world.starters.set(action.name, world.follow(root, `reader ${action.name}`, action.reader));
      return;
    } catch (error) {
      // A deletion of the session includes runs that are starting in it.
      const isUnwanted = world.plan.actions.some(({ kind: what }) => what === "delete");
      if (isUnwanted && error instanceof TroupeError && error.code === "conflict") return;
      if (error instanceof TroupeError && error.code === "limitExceeded") {
        if (world.guarantees.meteredCount >= metered.perDay) return;
        return world.guarantees.fail("limit", "A start was rejected before the limit was reached.");
      }
      if (!mayRetry(error)) return world.guarantees.fail("error", `A start was rejected: ${error}`);
      if (error instanceof NoAnswer && !action.insists) return;
      await world.scheduler.sleep(patience);
    }
  }
}

/** Cancels a run, with retries until a response arrives. */
export async function wishCancel(world: World, root: RootView, slot: number): Promise<void> {
  root.cancelWished = true;
  await insist(world, root, slot, async (process) => {
    const row = await process.store.findRun(system, root.runId);
    if (row) await process.engine.cancel(row);
    else if (!root.deleted) world.guarantees.fail("L2", `The cancel of run ${root.key} returned not found.`);
  });
  world.trace.add("client", `received the response to the cancel of run ${root.key}`);
  if (!root.cancelCommitted && !isTerminal(root.status) && !root.deleted)
    world.guarantees.fail("cancel", `Run ${root.key} was cancelled for a client, but no cancel is stored.`);
}

/** Puts a message into a run, with retries until a response arrives. */
export async function wishSteer(
  world: World,
  root: RootView,
  { by, mode, name }: Extract<Action, { kind: "steer" }>,
): Promise<void> {
  await insist(world, root, by, async (process) => {
    const row = await process.store.findRun(system, root.runId);
    if (!row) return;
    const id = `${root.key}/${name}`;
    const outcome = await process.engine.steer(row, { id, content: `message ${id}`, mode, key: id });
    if (outcome.kind === "accepted") root.accepted.set(outcome.message.number, outcome.message.content);
  });
}

/** Deletes a run or its whole session, with retries until a response arrives. */
export async function wishDelete(world: World, root: RootView, slot: number, session: boolean): Promise<void> {
  root.cancelWished = root.deleteWished = true;
  if (session) world.guarantees.unwanted.add(root.sessionKey);
  await insist(world, root, slot, async (process) => {
    const row = await process.store.findRun(system, root.runId);
    if (!row) return;
    if (session) await process.engine.deleteSession(row.sessionKey);
    else await process.engine.deleteRun(row);
  });
  if (!root.deleted) world.guarantees.fail("L2", `Run ${root.key} was deleted for a client, but is stored.`);
}

async function insist(
  world: World,
  root: RootView,
  slot: number,
  ask: (process: SimulatedProcess) => Promise<void>,
): Promise<void> {
  for (let tries = 0; ; tries++) {
    const process = await someProcess(world, tries === 0 ? slot : undefined);
    try {
      return await request(world, process, () => ask(process));
    } catch (error) {
      // A run whose cancel is still in progress may be deleted later.
      const isBusy = error instanceof TroupeError && error.code === "conflict";
      if (!mayRetry(error) && !isBusy)
        return world.guarantees.fail("error", `A request for run ${root.key} failed: ${(error as Error).stack}`);
      await world.scheduler.sleep(patience);
    }
  }
}

async function someProcess(world: World, slot: number | undefined): Promise<SimulatedProcess> {
  for (;;) {
    const process = (slot === undefined ? undefined : world.serving(slot)) ?? world.anyServing();
    if (process) return process;
    await world.scheduler.sleep(patience);
  }
}
