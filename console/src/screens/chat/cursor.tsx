/** The cursor of a run: its last event, the state of the connection, and a button that cuts it. */
import { Alert, Button, Group, Text } from "@mantine/core";
import { IconPlugConnected, IconPlugConnectedX } from "@tabler/icons-react";
import { type ReactNode, useSyncExternalStore } from "react";
import { toShownError } from "../../api/errors.ts";
import classes from "./chat.module.css";
import type { FollowedRun, FollowedState } from "./followed-run.ts";

export function Cursor({ followed }: { readonly followed: FollowedRun }): ReactNode {
  const state = useSyncExternalStore(followed.subscribe, followed.state);
  const status = statusOf(state);
  const canCut = state.connection === "live" && status === "running";
  return (
    <section className={classes.cursor} aria-label="Connection">
      <Group gap="xs" miw={0} className={classes.state}>
        <span
          className={classes.dot}
          data-state={
            status === "paused" ? "waiting" : isHealthy(state) ? (status === "running" ? "live" : "idle") : "lost"
          }
          aria-hidden
        />
        <Text size="sm" fw={600} span role="status" className={classes.nowrap} data-testid="connection">
          {labelOf(state, status)}
        </Text>
        <Text size="sm" c="dimmed" span className={classes.index}>
          Event <span data-testid="cursor">{state.cursor}</span>
        </Text>
      </Group>
      <Text size="xs" c="dimmed" role="status" className={classes.resume}>
        {explanationOf(state)}
      </Text>
      {state.connection === "failed" ? (
        <Button size="compact-sm" variant="light" onClick={() => followed.retry()}>
          Connect again
        </Button>
      ) : (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={
            canCut ? <IconPlugConnectedX size={14} aria-hidden /> : <IconPlugConnected size={14} aria-hidden />
          }
          onClick={() => followed.cut()}
          disabled={!canCut}
          aria-label="Cut my connection"
          title="Ends this page's connection for three seconds. The run continues on the server."
        >
          Cut<span className={classes.wide}>&nbsp;my connection</span>
        </Button>
      )}
    </section>
  );
}

export function ConnectionFailure({ state }: { readonly state: FollowedState }): ReactNode {
  if (state.connection !== "failed") return null;
  const { title, message, advice } = toShownError(state.error);
  return (
    <Alert color="red" title={title}>
      {message} {advice}
    </Alert>
  );
}

function statusOf({ view }: FollowedState): string {
  return (view.rootId === undefined ? undefined : view.nodes[view.rootId]?.status) ?? "running";
}

function isHealthy({ connection }: FollowedState): boolean {
  return connection === "live" || connection === "ended" || connection === "connecting";
}

function labelOf({ connection }: FollowedState, status: string): string {
  if (connection === "cut" || connection === "lost") return "Resuming";
  if (connection === "failed") return "Not connected";
  if (status === "paused") return "Waits for an answer";
  if (connection === "ended")
    return status === "completed" ? "Finished" : status === "cancelled" ? "Cancelled" : "Ended";
  return connection === "live" ? "Live" : "Connecting";
}

function explanationOf({ connection, cursor, lastResume }: FollowedState): string {
  if (connection === "cut") return `You cut the connection after event ${cursor}. The run continues on the server.`;
  if (connection === "lost") return `The connection was lost after event ${cursor}. The run continues on the server.`;
  if (!lastResume) return "";
  const { cursor: from, missed } = lastResume;
  const meanwhile =
    missed === 0 ? "No event came meanwhile" : `${missed} ${missed === 1 ? "event" : "events"} came meanwhile`;
  return `Resumed after event ${from}. ${meanwhile}; none is missing, none is repeated.`;
}
