/** Reports every finished request: one log entry, and one measurement. */
import { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Runtime } from "../../model/runtime.ts";
import { traceIdOf } from "../../model/trace/ids.ts";
import { toTraceContext } from "../../model/trace/propagation.ts";

/** The run that a request is about. */
export interface RequestedRun {
  readonly runId: string;
  readonly sessionId: string;
}

/** The reported facts of a request. The report is small because it exists as long as the response, which may be a stream of hours. */
interface RequestReport {
  readonly requestId: string;
  readonly method: string;
  /** The route in the contract's notation: `/teams/{team_id}`. Undefined if no route matched. */
  readonly route: string | undefined;
  readonly isLong: boolean;
  userId?: string;
  runId?: string;
  sessionId?: string;
  traceId?: string;
  /** Whether this process called itself. */
  isInternal?: boolean;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route in the contract's notation: `/teams/{team_id}`. */
    route?: string;
    /** Whether the response may take as long as a run. */
    isLong?: boolean;
  }
  interface FastifyRequest {
    report: RequestReport | null;
  }
}

/** The status of a request whose client left before the response began. Proxies log the same one. */
const clientLeftStatus = 499;

/** Health checks arrive every few seconds, so their entries have the level `debug`. */
const frequent: ReadonlySet<string> = new Set(["/health", "/health/live", "/health/ready"]);

/** Reports the requests of the app. It must be called before any other hook is added. */
export function reportRequests(app: FastifyInstance, runtime: Runtime): void {
  app.decorateRequest("report", null);
  app.addHook("onRequest", (request, reply, done) => {
    reportAtEnd(request, reply, runtime);
    done();
  });
}

/** Reports the request when its response has ended, or its client has left. */
export function reportAtEnd(request: FastifyRequest, { raw }: FastifyReply, runtime: Runtime): void {
  const { id: requestId, method } = request;
  const { route, isLong = false } = request.routeOptions?.config ?? {};
  const report: RequestReport = { requestId, method, route, isLong };
  request.report = report;
  const begun = runtime.clock.monotonic();
  // It keeps no reference to the response, whose memory is freed while its stream is idle.
  raw.once("close", function (this: ServerResponse | Socket) {
    reportRequest(report, endOf(this), runtime, runtime.clock.monotonic() - begun);
  });
}

/** How a response ended. The connection of a stream that was idle stands for its response: see `leaveHttp`. */
function endOf(ended: ServerResponse | Socket): { readonly status: number; readonly clientLeft: boolean } {
  if (!(ended instanceof ServerResponse)) return { status: 200, clientLeft: ended.destroyed };
  return { status: ended.headersSent ? ended.statusCode : clientLeftStatus, clientLeft: !ended.writableEnded };
}

/** Adds the caller to the report of its request. */
export function reportCaller({ report, caller, internalCaller }: FastifyRequest): void {
  if (!report) return;
  if (caller?.userId != null) report.userId = caller.userId;
  if (internalCaller) report.isInternal = true;
}

/** Adds the run that the request started or found. An id that was not found is not reported: it may be anything, also a secret. */
export function reportRun({ report }: FastifyRequest, { runId, sessionId }: RequestedRun): void {
  if (report) Object.assign(report, { runId, sessionId });
}

/** Adds the run that the request started, with its trace: the caller's, or the run's own. */
export function reportStart(request: FastifyRequest, run: RequestedRun): void {
  reportRun(request, run);
  const { traceparent } = toTraceContext(request.headers) ?? {};
  if (request.report) request.report.traceId = traceIdOf(run.runId, traceparent);
}

function reportRequest(
  { isLong, isInternal, ...fields }: RequestReport,
  { status, clientLeft }: ReturnType<typeof endOf>,
  { log, measurements }: Runtime,
  milliseconds: number,
): void {
  const { method, route } = fields;
  // Calls of this process to itself belong to the work of a schedule.
  if (!isInternal)
    measurements.requestFinished({ method, route, status, seconds: isLong ? undefined : milliseconds / 1000 });
  const level = isInternal || frequent.has(route ?? "") ? "debug" : "info";
  const entry = {
    ...fields,
    status,
    milliseconds: Math.round(milliseconds * 10) / 10,
    ...(clientLeft && { clientLeft }),
  };
  log[level](entry, "A request finished.");
}
