/**
 * Public exports of `troupe/interface`: the types of an interface to runs, and the reader of its frames. They are apart from `troupe` because they
 * need Node's types.
 *
 * @module troupe/interface
 */
export type { FollowOptions, LogItem } from "./events/run-logs.ts";
export type { CallerStream, CallerStreams } from "./http/streams/caller-streams.ts";
export type {
  Interface,
  InterfaceJob,
  InterfaceJobs,
  InterfaceServices,
  JobOutcome,
  JobQueue,
  OpenInterface,
  WebhookAnswer,
  WebhookRequest,
} from "./http/transport/services.ts";
export { eachFrame, frameData, frameDataBytes, frameName } from "./model/frame.ts";
export type { RunAction } from "./runs/permissions.ts";
export type { Runs } from "./runs/runs.ts";
