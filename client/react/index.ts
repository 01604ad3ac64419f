"use client";
/**
 * Public exports of `troupe/react`: hooks for React 18 and later on top of `troupe/client`.
 *
 * @module troupe/react
 */
export type { Approval, ApprovalsOptions, ApprovalsState } from "./approvals.ts";
export { useApprovals } from "./approvals.ts";
export type { ComponentOf, ContentOf, InputOf } from "./component-of.ts";
export { createHooks, type Hooks } from "./hooks.ts";
export { TroupeProvider, type TroupeProviderProps, useClient } from "./provider.ts";
export { type RunControls, type UseRunOptions, useRun } from "./run.ts";
export type { RunPause, RunSnapshot, RunState } from "./run-store.ts";
export { type SessionState, type UseSessionOptions, useSession } from "./session.ts";
