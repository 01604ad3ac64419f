/**
 * A chat channel: messages start runs, and durable jobs deliver the answers. Nothing about a run is kept in memory: the run's options have the place of the
 * chat, and the job has what was posted.
 */
import { TroupeError } from "../../errors.ts";
import { fingerprintOf } from "../../http/transport/fingerprint.ts";
import type { JobQueue } from "../../http/transport/services.ts";
import type { Principal } from "../../model/principal.ts";
import { callsIn } from "../../model/run/pause.ts";
import type { Pause } from "../../model/run/record.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import { RunNotPaused } from "../../model/run/run-not-paused.ts";
import { outputOf } from "../../model/run/stored-run.ts";
import type { Answers } from "../../runs/continue.ts";
import { isPermitted } from "../../runs/permissions.ts";
import { deliver } from "./deliver.ts";
import { type ChannelParts, type Origin, originOf, readButton } from "./origin.ts";
import type { ChatClick, ChatMessage } from "./platform.ts";
import { textQuestionOf } from "./text-answers.ts";

export class Channel {
  readonly #parts: ChannelParts;
  readonly #jobs: JobQueue;
  readonly #component: { readonly kind: ComponentKind; readonly componentId: string };

  constructor(parts: ChannelParts) {
    this.#parts = parts;
    const [kind = "", componentId = ""] = parts.options.component.split(/:(.*)/s);
    this.#component = { kind: kind as ComponentKind, componentId };
    parts.services.runs.component(this.#component);
    this.#jobs = parts.services.jobs.open(`channel:${parts.name}`, (job, signal) =>
      deliver({ ...parts, component: this.#component, caller: () => this.caller() }, job, signal),
    );
  }

  close(): Promise<void> {
    return this.#jobs.close();
  }

  /** The caller of all runs of the channel. @throws TroupeError `unauthenticated` */
  async caller(): Promise<Principal> {
    const { services, name, options } = this.#parts;
    return await services.gate.authenticate(options.access, `channel:${name}`);
  }

  /**
   * Starts a run for a message. A repeated message starts nothing. Errors that the person can do something about are posted; the platform repeats the
   * message after any other error.
   */
  async receive(message: ChatMessage): Promise<void> {
    const { name, options, services, platform } = this.#parts;
    if (options.users && !options.users.includes(message.user.id)) return;
    const { runs } = services;
    const caller = await this.caller();
    const userId = `${name}:${message.user.id}`;
    if (message.isReply && !(await runs.sessions.find(caller, { sessionId: message.sessionId }))) return;
    try {
      if (await this.#answer(message, caller)) return;
      runs.authorize(caller, "start", this.#component);
      const media = await Promise.all(message.files.map((read) => read()));
      const origin: Origin = { channel: name, place: message.place, user: message.user.id };
      const run = await runs.start(caller, {
        ...this.#component,
        message: message.text,
        media,
        sessionId: message.sessionId,
        userId,
        options: { stream: true, background: false, metadata: { channel: origin } },
        token: options.access,
        idempotency: {
          key: `${name}:${fingerprintOf(message.id)}`,
          fingerprint: fingerprintOf([this.#component, message.id]),
        },
      });
      await this.#jobs.add(run.runId, userId);
    } catch (error) {
      if (!(error instanceof TroupeError) || error.status >= 500) throw error;
      services.runtime.log.warn({ error, channel: name }, "A message of a chat started no run.");
      await platform.post(message.place, `I cannot answer this message: ${error.message}`);
    }
  }

  /**
   * Answers the question of the thread's last run with a message, if one text answers it. A repeated message answers nothing. Returns whether the message was an answer.
   */
  async #answer({ id, user, place, sessionId, text, files }: ChatMessage, caller: Principal): Promise<boolean> {
    const { name, options, services, platform } = this.#parts;
    const { runs } = services;
    if (files.length > 0 || !isPermitted(() => runs.authorize(caller, "continue", this.#component))) return false;
    const [last] = await runs.latest(caller, { ...this.#component, sessionId }, 1);
    if (!last) return false;
    const runName = { ...this.#component, runId: last.runId };
    const run = await runs.load(caller, runName);
    const origin = originOf(run, name);
    const { pause } = outputOf(run);
    const isPaused = run.status === "PAUSED" && pause !== undefined;
    const question = isPaused ? textQuestionOf(pause) : undefined;
    if (!origin || (isPaused && !(question && this.#mayAnswer(user.id, origin, pause)))) return false;
    const answers = question?.answer(text);
    if (question && !answers) {
      await platform.post(place, `I cannot use this answer. ${question.hint}`);
      return true;
    }
    try {
      await runs.continue(caller, runName, {
        answers: (open) => textQuestionOf(open)?.answer(text) ?? noAnswers,
        userId: `${name}:${user.id}`,
        token: options.access,
        idempotency: { key: `${name}:answer:${fingerprintOf(id)}`, fingerprint: fingerprintOf([last.runId, id]) },
        // A run that is not paused may have been answered by an earlier delivery of this message.
        onlyIfRepeated: !isPaused,
      });
    } catch (error) {
      if (error instanceof RunNotPaused) return false;
      if (error instanceof TroupeError && error.code === "notFound") return false;
      throw error;
    }
    await this.#jobs.makeDue(last.runId);
    return true;
  }

  /** Answers a pause with a button. The person who started the run may confirm calls; an approval needs an approver. */
  async click(click: ChatClick): Promise<void> {
    const button = readButton(click.value);
    if (!button) return;
    const { name, options, services, platform } = this.#parts;
    const { runs } = services;
    const caller = await this.caller();
    runs.authorize(caller, "continue", this.#component);
    const runName = { ...this.#component, runId: button.runId };
    const run = await runs.load(caller, runName);
    const origin = originOf(run, name);
    const { pause } = outputOf(run);
    const head = await runs.head(run);
    const isOpen = run.status === "PAUSED" && pause && head && button.index >= head.nextIndex - 2;
    if (!origin || !isOpen) return await click.tell("This question is already answered.");
    if (!this.#mayAnswer(click.user.id, origin, pause)) return await click.tell("You may not answer this question.");
    const key = `${name}:${fingerprintOf(click.id)}`;
    try {
      await runs.continue(caller, runName, {
        answers: (open) => answersFor(open, button.isYes),
        userId: `${name}:${click.user.id}`,
        token: options.access,
        idempotency: { key, fingerprint: fingerprintOf([button, click.id]) },
      });
    } catch (error) {
      if (error instanceof RunNotPaused) return await click.tell("This question is already answered.");
      if (!(error instanceof TroupeError) || error.status >= 500) throw error;
      return await click.tell(error.message);
    }
    await this.#jobs.makeDue(button.runId);
    const verdict = button.isYes ? "Approved" : "Rejected";
    await platform.edit(click.place, click.messageId, `${verdict} by ${platform.mention(click.user.id)}.`);
  }

  #mayAnswer(userId: string, { user }: Origin, pause: Pause): boolean {
    if (this.#parts.options.approvers?.includes(userId)) return true;
    const needsApprover = callsIn(pause).some(({ tool_execution }) => tool_execution.approval_type === "required");
    return !needsApprover && userId === user;
  }
}

const noAnswers: Answers = { callAnswers: [], stepAnswers: [], field: "text" };

/** Confirms or rejects everything that a pause waits for. */
function answersFor({ requirements, stepRequirements = [] }: Pause, confirmed: boolean): Answers {
  return {
    callAnswers: callsIn({ ...(requirements && { requirements }), stepRequirements }).map(({ id, tool_execution }) => ({
      requirementId: id,
      toolCallId: tool_execution.tool_call_id,
      confirmed,
    })),
    stepAnswers: stepRequirements
      .filter((step) => !step.executor_requirements)
      .map(({ requirement_id, step_id, step_name }) => ({
        requirementId: requirement_id,
        stepId: step_id,
        stepName: step_name,
        confirmed,
      })),
    field: "button",
  };
}
