/** Delegation: a leader's tools that run members, each in a scope under the team's. */
import { z } from "zod";
import { shownShape } from "../../define/json-shape.ts";
import type { Component } from "../../define/platform.ts";
import { delegationTools, type Team } from "../../define/team.ts";
import { toNamedSection } from "../../model/prompt-text.ts";
import { failureFields } from "../../model/run/failure.ts";
import type { RunOutput } from "../../model/run/record.ts";
import { joined } from "../pause/waiting-calls.ts";
import { type Callable, errorAnswer, type ToolResult } from "../tool-call/callable.ts";
import { completedFields, describeFailure, toMemberResponse } from "./completed.ts";
import { type LoopOf, type MemberScope, RunFailure, RunPaused, type RunScope, RunStopped } from "./contract.ts";
import { withDeadline } from "./deadline.ts";
import { partialOutputOf } from "./partial-output.ts";
import { pauseMember } from "./pause-member.ts";

/** The context of a team's delegation. */
export interface Delegation {
  readonly scope: RunScope;
  readonly team: Team;
  /** The team's members, converted for the engine. */
  readonly members: readonly Component[];
  readonly loopOf: LoopOf;
  /** Members' results, for the team's `member_responses`. */
  readonly responses: Readonly<Record<string, unknown>>[];
}

export interface MemberResult extends ToolResult {
  readonly member: Component;
}

const task = z
  .string()
  .min(1)
  .describe("The member's task, written so that it can be understood without the conversation.");

export interface Typed<Input extends z.ZodType> extends Pick<Callable, "inputSchema" | "timeout" | "ifInterrupted"> {
  readonly input: Input;
}

type OneInput = z.ZodObject<{ member_id: z.ZodEnum<Record<string, string>>; task: typeof task }>;

/** Cached for each team, which never changes: creating and describing a schema is slow. */
const inputsOfTeams = new WeakMap<Team, Typed<OneInput>>();

const inputForAll: Typed<z.ZodObject<{ task: typeof task }>> = typed(z.object({ task }));

function inputForOne(team: Team): Typed<OneInput> {
  const known = inputsOfTeams.get(team);
  if (known) return known;
  const memberId = z.enum(team.members.map(({ id }) => id)).describe("Who is to do it.");
  const made = typed(z.object({ member_id: memberId, task }));
  inputsOfTeams.set(team, made);
  return made;
}

const toOne = {
  name: delegationTools.one,
  description: "Gives a task to one member of the team and waits for the answer.",
};
const toAll = {
  name: delegationTools.all,
  description: "Gives a task to every member of the team at once and waits for their answers.",
};

/** The delegation tool of a team's leader as its model sees it. */
export function delegationTool(team: Team): Pick<Callable, "name" | "description" | "inputSchema"> {
  return team.mode === "broadcast" ? { ...toAll, ...inputForAll } : { ...toOne, ...inputForOne(team) };
}

/** The tool that gives a task to one member. @param returnsDirectly whether the member's answer becomes the team's */
export function delegateToOne(delegation: Delegation, returnsDirectly: boolean): Callable {
  const { team, members } = delegation;
  return {
    ...toOne,
    ...inputForOne(team),
    stopAfterCall: returnsDirectly,
    run: (given, { toolCallId }) => {
      const { member_id, task } = given as z.output<OneInput>;
      const member = members.find(({ id }) => id === member_id) as Component;
      return runMember(delegation, member, task, toolCallId);
    },
  };
}

/** The tool that gives a task to all members at once. */
export function delegateToAll(delegation: Delegation): Callable {
  return {
    ...toAll,
    ...inputForAll,
    stopAfterCall: false,
    async run(given, { toolCallId }) {
      const { task } = given as z.output<typeof inputForAll.input>;
      const running = delegation.members.map((member) => runMember(delegation, member, task, toolCallId));
      const results = await allOf(running);
      const text = results
        .map(({ member, text }) => toNamedSection("answer", { member: member.id }, text))
        .join("\n\n");
      return { text, isError: results.every(({ isError }) => isError) };
    },
  };
}

export function typed<Input extends z.ZodType>(input: Input): Typed<Input> {
  return { input, inputSchema: shownShape(input), timeout: undefined, ifInterrupted: "again" };
}

/** Runs a member until its terminal event. The leader's model sees the member's failure; a stop of the team is thrown. */
export async function runMember(
  delegation: Delegation,
  component: Component,
  message: string,
  toolCallId: string,
): Promise<MemberResult> {
  const { scope, loopOf } = delegation;
  const { clock } = scope.runtime;
  const startedAt = clock.now();
  const { media } = scope.input;
  const earlier = scope.earlierMember(component, toolCallId);
  if (earlier?.earlierEnd) return earlierResult(delegation, earlier, earlier.earlierEnd);
  earlier?.emitRecovery();
  const member = earlier ?? (await scope.member(component, { message, ...(media?.length && { media }) }, toolCallId));
  const childRunId = member.context.runId;
  const limited = withDeadline(member, component.timeout);
  try {
    const output = await loopOf(component)(limited.scope);
    await limited.scope.waitForRoom();
    limited.scope.signal.throwIfAborted();
    end(delegation, member, { status: "COMPLETED", output, startedAt });
    member.emit("RunCompleted", completedFields(output));
    return { member: component, text: toText(output.content), isError: false, childRunId, output };
  } catch (error) {
    if (error instanceof RunPaused && !limited.scope.signal.aborted)
      throw pauseMember(member, limited.scope, error.pause);
    const failure = describeFailure(toMemberFailure(error, scope), scope.runtime.randomness.uuid());
    scope.runtime.log.warn(
      { error, runId: childRunId, errorId: failure.id },
      `A member's run failed: ${failure.message}`,
    );
    const output = { ...partialOutputOf(limited.scope), content: failure.message, contentType: "str", error: failure };
    end(delegation, member, { status: "ERROR", output, startedAt });
    member.emit("RunError", { content: failure.message, ...failureFields(failure) });
    return { member: component, ...errorAnswer(`${component.name} failed: ${failure.message}`), childRunId };
  } finally {
    limited.cancel();
  }
}

/** Collects the results of all members. If one member waits for a person, the results of the other members are kept. */
async function allOf(running: readonly Promise<MemberResult>[]): Promise<readonly MemberResult[]> {
  const ends = await Promise.allSettled(running);
  const thrown = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  const firstError = thrown.find((error) => !(error instanceof RunPaused));
  if (firstError !== undefined) throw firstError;
  const pauses = thrown.flatMap((error) => (error instanceof RunPaused ? [error.pause] : []));
  if (pauses.length > 0) throw new RunPaused(joined(pauses));
  return ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
}

/** Collects members' results of calls that were answered before the team was recovered. */
export function rememberMembers(delegation: Delegation): void {
  const { scope, members } = delegation;
  const messages = scope.messages.map(({ message }) => message);
  for (const message of messages) {
    if (message.role !== "tool") continue;
    for (const component of members) {
      const member = scope.earlierMember(component, message.toolCallId);
      if (member?.earlierEnd) earlierResult(delegation, member, member.earlierEnd);
    }
  }
}

/** A member's result from before the team was recovered. */
function earlierResult(
  { scope, responses }: Delegation,
  member: MemberScope,
  { status, output }: NonNullable<MemberScope["earlierEnd"]>,
): MemberResult {
  const { component, context } = member;
  const startedAt = member.messages[0]?.createdAt ?? scope.runtime.clock.now();
  responses.push(toMemberResponse(scope.context.runId, member, { status, output, startedAt }));
  const text = toText(output.content);
  if (status === "COMPLETED") return { member: component, text, isError: false, childRunId: context.runId, output };
  return { member: component, ...errorAnswer(`${component.name} failed: ${text}`), childRunId: context.runId };
}

function end(
  { scope, responses }: Delegation,
  member: MemberScope,
  ended: Parameters<typeof toMemberResponse>[2],
): void {
  responses.push(toMemberResponse(scope.context.runId, member, ended));
  // Each member of a team has its own row.
  const { memberResponses: _, ...output } = ended.output;
  member.end(ended.status, output);
}

/** A member that exceeds its own time-out fails; every other stop ends the whole run. */
function toMemberFailure(error: unknown, scope: RunScope): unknown {
  if (scope.signal.aborted) throw scope.signal.reason;
  if (!(error instanceof RunStopped)) return error;
  if (error.reason.kind !== "timeout") throw error;
  return new RunFailure("run_timeout", `It took longer than ${error.reason.milliseconds / 1000} s and was stopped.`);
}

function toText(content: RunOutput["content"]): string {
  return typeof content === "string" ? content : (JSON.stringify(content) ?? "");
}
