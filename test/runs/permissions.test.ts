/** Permissions of actions on runs: every interface requires what the HTTP route with the same effect requires. */
import { expect, test } from "vitest";
import type { TroupeError } from "../../src/errors.ts";
import { interfaceRoutes } from "../../src/http/routes/all.ts";
import { open } from "../../src/model/principal.ts";
import type { ComponentKind } from "../../src/model/run/run.ts";
import { findRun } from "../../src/runs/find.ts";
import type { RunParts } from "../../src/runs/parts.ts";
import { authorize, type ReadAction, type RunAction, routeOf, routeOfRead } from "../../src/runs/permissions.ts";
import { accessOf, callerOf } from "../auth/support.ts";
import { makePair, token } from "../support/tokens.ts";

/** Parts that no call may use. */
const noParts = {} as RunParts;

const kinds: readonly ComponentKind[] = ["agent", "team", "workflow"];
const actions: readonly RunAction[] = ["start", "list", "read", "follow", "continue", "cancel", "delete"];
const cases = kinds.flatMap((kind) => actions.map((action) => ({ kind, action })));
const routes = interfaceRoutes(0);

test.each(cases)("$action of $kind runs requires the resource and action of its HTTP route", ({ kind, action }) => {
  const { method, path, ...access } = routeOf(action, kind);
  const route = routes.find((one) => one.method === method && one.path === path);
  expect(route?.access).toMatchObject({ ...access, idParam: `${kind}_id` });
});

test.each<ReadAction>(["config", "sessions", "sessionRuns"])(
  "reading %s requires the scope of its HTTP route",
  (read) => {
    const { method, path, ...access } = routeOfRead(read);
    const route = routes.find((one) => one.method === method && one.path === path);
    expect(route?.access).toMatchObject(access);
  },
);

test("the operator's scope mapping of a route decides about the action on every interface", async () => {
  const pair = makePair();
  const gate = accessOf({
    verificationKeys: [pair.pem],
    scopeMappings: { "POST /agents/{agent_id}/runs": ["launch"], "POST /agents/*/runs/*/resume": ["watch"] },
  });
  const caller = await callerOf(gate, token({ sub: "ann", scopes: ["launch", "agents:a:read"] }, pair));
  const refusal = (action: RunAction, componentId?: string): string => {
    try {
      authorize({ gate }, caller, action, { kind: "agent", componentId });
      return "allowed";
    } catch (error) {
      return (error as TroupeError).message;
    }
  };
  expect(refusal("start", "b")).toBe("allowed");
  expect(refusal("read", "a")).toBe("allowed");
  expect(refusal("read", "b")).toBe("Insufficient permissions. Required scope(s): agents:read");
  expect(refusal("read")).toBe("Insufficient permissions. Required scope(s): agents:read");
  expect(refusal("follow", "a")).toBe("Insufficient permissions. Required scope(s): watch");
  expect(refusal("cancel", "a")).toBe("Insufficient permissions. Required scope(s): agents:run");
});

test.each([
  ["a run id with NUL", { runId: "a\0b" }, "The run id must not hold control characters."],
  ["an empty session id", { runId: "r", sessionId: "" }, "The session id must not be empty."],
  ["a run id of 300 characters", { runId: "r".repeat(300) }, "The run id must have at most 255 characters."],
])("find rejects %s before the database sees it", async (_, ids, message) => {
  const found = findRun(noParts, open, { kind: "agent", componentId: "a", ...ids });
  await expect(found).rejects.toMatchObject({ code: "badRequest", message });
});
