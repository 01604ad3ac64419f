/** The routes of AG-UI: one pair for each component, and one at the root for the component of the option `agUi.component`. */

import { z } from "zod";
import { TroupeError } from "../../errors.ts";
import { reader } from "../../http/input/decode.ts";
import { beginning } from "../../http/streams/frame-cursor.ts";
import { sendStream } from "../../http/streams/sse.ts";
import { reportStart } from "../../http/transport/finished-requests.ts";
import { tokenIn } from "../../http/transport/guard.ts";
import { type Kind, kinds } from "../../http/transport/kinds.ts";
import { type Call, type Operation, type Route, route } from "../../http/transport/route.ts";
import { bodyErrors, usualErrors } from "../../http/transport/statuses.ts";
import type { AgUiOptions } from "../../model/ag-ui.ts";
import { toTraceContext } from "../../model/trace/propagation.ts";
import { beginSegment, type Endpoint } from "./begin.ts";
import { type AgUiInput, componentPath, inputBody } from "./input.ts";
import { agUiStream, parseCursor } from "./stream.ts";

const headers = z.object({
  "last-event-id": z
    .string()
    .refine((text) => parseCursor(text) !== undefined, "must be the id of a frame")
    .nullish(),
});

const headerReader = reader(headers, (fields) => {
  const text = fields["last-event-id"];
  return text ? parseCursor(text) : undefined;
});

const statusAnswer = z.object({ status: z.literal("available") });

const runOperation: Omit<Operation, "id" | "summary"> = {
  tag: "AG-UI",
  security: "bearer",
  success: { 200: { description: "The stream of AG-UI events", json: "any", eventStream: true } },
  errors: [...bodyErrors, 409, 429, 502],
  faults: "list",
  headers,
};

const statusOperation: Omit<Operation, "id" | "summary"> = {
  tag: "AG-UI",
  security: "bearer",
  success: { 200: { description: "The interface is available", json: statusAnswer } },
  errors: usualErrors,
};

/** The platform's AG-UI routes; empty if AG-UI is off. */
export function agUiRoutes({ agUi }: { readonly agUi: AgUiOptions | false }): readonly Route[] {
  if (agUi === false) return [];
  return [...Object.values(kinds).flatMap(componentRoutes), ...rootRoutes(agUi)];
}

function componentRoutes(kind: Kind): readonly Route[] {
  const { name, plural, idParam } = kind;
  const path = `/${plural}/{${idParam}}/agui`;
  return [
    route({
      method: "POST",
      path,
      access: { resource: plural, action: "run", idParam },
      operation: {
        ...runOperation,
        id: `run_${name}_agui`,
        summary: `Run the ${name} and stream AG-UI events, or resume such a stream`,
      },
      pathParams: componentPath(idParam),
      body: inputBody,
      handle: ({ services, caller, path: { componentId }, ...call }) =>
        run({ services, caller, kind: name, componentId }, call),
    }),
    route({
      method: "GET",
      path: `${path}/status`,
      access: { resource: plural, action: "read", idParam },
      operation: {
        ...statusOperation,
        id: `get_${name}_agui_status`,
        summary: `Report whether AG-UI is available for the ${name}`,
      },
      pathParams: componentPath(idParam),
      handle: ({ services, path: { componentId } }) => {
        services.runs.component({ kind: name, componentId });
        return { status: "available" } satisfies z.input<typeof statusAnswer>;
      },
    }),
  ];
}

/** The routes at the root. The path names no component, so the handler checks the caller's scope for it. */
function rootRoutes({ component }: AgUiOptions): readonly Route[] {
  if (component === undefined) return [];
  const [kindName = "", componentId = ""] = component.split(/:(.*)/s);
  const { name } = kinds[kindName as keyof typeof kinds];
  return [
    route({
      method: "POST",
      path: "/agui",
      access: "caller",
      operation: {
        ...runOperation,
        id: "run_agui",
        summary: "Run the component of the platform's AG-UI option and stream AG-UI events",
      },
      body: inputBody,
      handle: ({ services, caller, ...call }) => {
        services.runs.authorize(caller, "start", { kind: name, componentId });
        return run({ services, caller, kind: name, componentId }, call);
      },
    }),
    route({
      method: "GET",
      path: "/status",
      access: "caller",
      operation: { ...statusOperation, id: "get_agui_status", summary: "Report whether AG-UI is available" },
      handle: ({ services, caller }) => {
        services.runs.authorize(caller, "list", { kind: name, componentId });
        return { status: "available" } satisfies z.input<typeof statusAnswer>;
      },
    }),
  ];
}

type RunCall = Pick<Call<unknown, undefined, AgUiInput>, "request" | "reply" | "body">;

/** Begins or resumes, and streams. The stream is not awaited, and does not keep the body, whose files would stay in memory until the run ends. */
async function run(endpoint: Endpoint, { request, reply, body }: RunCall): Promise<void> {
  const after = headerReader.read(request.headers, "header");
  const begun = await found(
    beginSegment(endpoint, body, {
      token: tokenIn(request),
      trace: toTraceContext(request.headers),
      isResumed: after !== undefined,
    }),
    after !== undefined,
  );
  const { runs, platform, runtime } = endpoint.services;
  const { threadId, runId, isCurrent, state } = body;
  const segment = { threadId, runId, isCurrent, state, ownRunId: begun.run.runId, from: begun.from };
  reportStart(request, { runId: begun.run.runId, sessionId: threadId });
  reply.header("x-run-id", begun.run.runId);
  if (begun.isRepeated) reply.header("idempotency-replayed", "true");
  const stream = agUiStream(runs, begun.run, segment, after ?? beginning);
  void sendStream(reply, stream, { heartbeatInterval: platform.settings.heartbeatInterval, log: runtime.log });
}

/** Explains to a client that resumes why there is nothing to resume. */
async function found<Value>(value: Promise<Value>, isResumed: boolean): Promise<Value> {
  try {
    return await value;
  } catch (error) {
    if (!isResumed || !(error instanceof TroupeError) || error.code !== "notFound") throw error;
    const advice =
      "Nothing was started: no earlier request has this threadId and runId. Send the request without Last-Event-ID.";
    throw new TroupeError("notFound", advice);
  }
}
