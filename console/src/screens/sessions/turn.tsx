/** One run of a conversation: its messages, its calls of tools, and the runs below it. */
import { ActionIcon, Alert, Anchor, Group, Skeleton, Text, Tooltip } from "@mantine/core";
import { IconTimelineEvent } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { memo, type ReactNode } from "react";
import type { ComponentKind } from "../../api/component-kinds.ts";
import { Id } from "../../components/copy.tsx";
import { Json } from "../../components/json.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { RunLink } from "../../components/run-link.tsx";
import { searchTool } from "../../components/source.ts";
import { Sources } from "../../components/sources.tsx";
import { formatDuration, StatusBadge, Time, Tokens } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import classes from "./conversation.module.css";
import {
  isInProgress,
  type Message,
  messagesOf,
  otherChildren,
  speakerOf,
  type ToolCall,
  type Turn,
  textOf,
  tokensOf,
  type WireStep,
} from "./conversation-runs.ts";
import { Media } from "./media.tsx";
import { findSpan, type SpanPlace } from "./span.ts";

/** The conversation to which a run belongs. */
export interface Place {
  readonly session: string;
  readonly kind: ComponentKind;
  readonly component: string;
}

interface TurnProps {
  readonly turn: Turn;
  readonly place: Place;
}

/** A root run with its head. The browser draws only those in view, so that long conversations stay smooth. */
export const RootTurn = memo(({ turn, place }: TurnProps): ReactNode => {
  const { run } = turn;
  const { session, kind, component } = place;
  const may = useMay();
  const tokens = tokensOf(turn);
  return (
    <article className={classes.turn} aria-label={`Run ${run.run_id}`}>
      <Group gap="sm" className={classes.head}>
        <StatusBadge status={run.status ?? "COMPLETED"} />
        {run.created_at && <Time value={run.created_at} />}
        <Id value={run.run_id} label="run id" />
        {tokens !== undefined && (
          <Text size="xs" c="dimmed" span>
            <Tokens count={tokens} /> tokens
          </Text>
        )}
        <Group gap="sm" ml="auto">
          {may(`GET /${kind}s/{${kind}_id}/runs/{run_id}`, component) && (
            <RunLink kind={kind} component={component} run={run.run_id} session={session} isColoured>
              Timeline
            </RunLink>
          )}
          <ToTrace place={{ root: run.run_id, run: run.run_id }} label="Trace" />
        </Group>
      </Group>
      <TurnBody turn={turn} place={place} root={run.run_id} />
    </article>
  );
});
RootTurn.displayName = "RootTurn";

interface BodyProps extends TurnProps {
  readonly root: string;
}

function TurnBody({ turn, place, root }: BodyProps): ReactNode {
  const { run, children } = turn;
  const media = { ...place, run } as const;
  const messages = messagesOf(turn);
  const steps = run.step_results ?? [];
  const isWorkflow = steps.length > 0 || run.workflow_id != null;
  const [input, answer] = isWorkflow
    ? [messages.filter(({ role }) => role !== "assistant"), messages.filter(({ role }) => role === "assistant")]
    : [messages, []];
  const show = (message: Message): ReactNode => (
    <MessageView key={message.key} message={message} turn={turn} place={place} root={root} />
  );
  return (
    <>
      {input.map(show)}
      {steps.map((step, at) => (
        <Step
          // biome-ignore lint/suspicious/noArrayIndexKey: a loop repeats a step, and the order does not change.
          key={at}
          step={step}
          turn={children.find((one) => one.run.run_id === step.step_run_id)}
          place={place}
          root={root}
        />
      ))}
      {run.status === "COMPLETED" && answer.map(show)}
      <Sources of={run.citations} />
      {otherChildren(turn).map((child) => (
        <Nested key={child.run.run_id} turn={child} place={place} root={root} />
      ))}
      <Media {...media} select={(one) => one} />
      <End turn={turn} place={place} />
    </>
  );
}

const roles = { system: "Instructions", user: "User" } as const;

interface MessageProps extends BodyProps {
  readonly message: Message;
}

function MessageView({ message, turn, place, root }: MessageProps): ReactNode {
  const { run } = turn;
  const { role, text, reasoning, calls, tokens, answer } = message;
  // A leader or a step writes the message of a run below it.
  const speaker = role === "assistant" ? speakerOf(run) : role === "user" && run.parent_run_id ? "Task" : roles[role];
  const body =
    role === "assistant" ? <Markdown text={text} isStreaming={false} /> : <div className={classes.text}>{text}</div>;
  return (
    <div className={classes.message} data-role={role}>
      <Group gap="xs" wrap="nowrap">
        <Text size="xs" fw={600} truncate>
          {speaker}
        </Text>
        {tokens !== undefined && (
          <Text size="xs" c="dimmed" span className={classes.quiet}>
            <Tokens count={tokens} /> tokens
          </Text>
        )}
        <ToTrace place={{ root, run: run.run_id, answer }} icon={`Show the message of ${speaker} in the trace`} />
      </Group>
      {reasoning && (
        <details className={classes.details}>
          <summary>Reasoning</summary>
          <div className={classes.text}>{reasoning}</div>
        </details>
      )}
      {text !== "" &&
        (role === "system" ? (
          <details className={classes.details}>
            <summary>Instructions of {speakerOf(run)}</summary>
            {body}
          </details>
        ) : (
          body
        ))}
      {role === "user" && <Media {...place} run={run} select={(one) => one.input_media ?? one.input} />}
      {calls.map((call) => (
        <Call key={call.id} call={call} turn={turn} place={place} root={root} />
      ))}
    </div>
  );
}

interface CallProps extends BodyProps {
  readonly call: ToolCall;
}

function Call({
  call: { id, name, args, result, hasFailed, duration, child },
  turn,
  place,
  root,
}: CallProps): ReactNode {
  const state = hasFailed ? "failed" : duration === undefined ? undefined : formatDuration(duration);
  return (
    <details className={classes.details} open={child !== undefined}>
      <summary>
        {child ? `Asks ${speakerOf(child.run)}` : <code>{name}</code>}
        {state && (
          <Text size="xs" c={hasFailed ? "red" : "dimmed"} span ml="xs">
            {state}
          </Text>
        )}
      </summary>
      {child ? (
        <div className={classes.nested}>
          <TurnBody turn={child} place={place} root={root} />
        </div>
      ) : (
        <div className={classes.call}>
          <Group gap="xs">
            <Text size="xs" c="dimmed">
              Arguments
            </Text>
            <ToTrace
              place={{ root, run: turn.run.run_id, toolCall: id }}
              icon={`Show the call of ${name} in the trace`}
            />
          </Group>
          <Json value={args} label="arguments" />
          {name === searchTool && <Sources of={result} label="Found" />}
          {result !== undefined && (
            <>
              <Text size="xs" c="dimmed">
                {hasFailed ? "Error" : "Result"}
              </Text>
              <Json value={jsonOf(result)} label="result" />
            </>
          )}
        </div>
      )}
    </details>
  );
}

interface StepProps extends Omit<BodyProps, "turn"> {
  readonly step: WireStep;
  readonly turn: Turn | undefined;
}

function Step({ step: { step_name: name, content, success, error }, turn, place, root }: StepProps): ReactNode {
  return (
    <details className={classes.details} open={turn !== undefined}>
      <summary>
        Step <strong>{name}</strong>
        {success === false && (
          <Text size="xs" c="red" span ml="xs">
            failed
          </Text>
        )}
      </summary>
      <div className={classes.nested}>
        {turn ? (
          <TurnBody turn={turn} place={place} root={root} />
        ) : (
          <div className={classes.text}>{error ?? textOf(content)}</div>
        )}
      </div>
    </details>
  );
}

function Nested({ turn, place, root }: BodyProps): ReactNode {
  return (
    <details className={classes.details} open>
      <summary>{speakerOf(turn.run)}</summary>
      <div className={classes.nested}>
        <TurnBody turn={turn} place={place} root={root} />
      </div>
    </details>
  );
}

const failures: Readonly<Record<string, string>> = {
  input_check_error: "A guardrail refused the message",
  output_check_error: "A guardrail refused the answer",
};

/** How a run ended, unless it has completed. */
function End({ turn: { run }, place: { session, kind, component } }: TurnProps): ReactNode {
  if (isInProgress(run))
    return (
      <div role="status" aria-label="The run is in progress">
        <Skeleton height={12} width="45%" />
      </div>
    );
  if (run.parent_run_id) return null;
  if (run.status === "ERROR")
    return (
      <Alert color="red" title={failures[run.error_type ?? ""] ?? run.error_type ?? "The run failed"}>
        <Text size="sm" className={classes.text}>
          {textOf(run.content) || "The run has no answer."}
        </Text>
      </Alert>
    );
  if (run.status === "PAUSED")
    return (
      <Alert color="yellow" title="The run waits for an answer">
        <Anchor
          component={Link}
          to={`/chat/${kind}/${component}`}
          search={{ session, run: run.run_id } as never}
          size="sm"
        >
          Answer in the chat
        </Anchor>
      </Alert>
    );
  if (run.status === "CANCELLED") return <Note>The run was cancelled.</Note>;
  if (run.status === "REGENERATED") return <Note>A later run replaces this one.</Note>;
  return null;
}

function Note({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}

interface ToTraceProps {
  readonly place: SpanPlace;
  /** A button with a text, or with an icon that has this name. */
  readonly label?: string;
  readonly icon?: string;
}

/** Opens the trace of the run at the span of a message. The span is searched when the caller asks for it. */
function ToTrace({ place, label, icon }: ToTraceProps): ReactNode {
  const may = useMay();
  const navigate = useNavigate();
  const search = useMutation({
    mutationFn: () => findSpan(place),
    onSuccess: ({ traceId, spanId }) =>
      navigate({
        to: "/traces/$traceId",
        params: { traceId },
        search: { run: place.root, ...(spanId === undefined ? {} : { span: spanId }) },
      }),
  });
  if (!may("GET /traces") || !may("GET /traces/{trace_id}")) return null;
  if (label !== undefined)
    return (
      <Anchor component="button" type="button" size="xs" onClick={() => search.mutate()}>
        {label}
      </Anchor>
    );
  return (
    <Tooltip label="Show in the trace">
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={icon}
        loading={search.isPending}
        onClick={() => search.mutate()}
      >
        <IconTimelineEvent size={14} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
