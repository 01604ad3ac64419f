/**
 * Public exports of `@troupe/client`, also available as `troupe/client`. It also runs in browsers.
 *
 * @module troupe/client
 */
export { type Client, type Component, createClient, type RunQuery } from "./client.ts";
export type { ConnectionState } from "./connection.ts";
export { GapError, RequestError } from "./errors.ts";
export type { AgentEvent, EndingEvent, RunEvent, TeamEvent, WorkflowEvent } from "./events.ts";
export type { RequirementAnswer, StepAnswer, ToolAnswer } from "./kinds.ts";
export type { RunRecord, StartOptions } from "./records.ts";
export type { ClientOptions } from "./requests.ts";
export type { FollowOptions, Run, RunResult, SuccessorOptions } from "./run.ts";
