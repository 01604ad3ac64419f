/** Feedback about a run: a thumb and a note of each user. */
import { ActionIcon, Button, Group, Popover, Stack, Text, Textarea, Tooltip } from "@mantine/core";
import { type Icon, IconThumbDown, IconThumbDownFilled, IconThumbUp, IconThumbUpFilled } from "@tabler/icons-react";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { runs, type Schema } from "../api/client.ts";
import type { ComponentKind } from "../api/component-kinds.ts";
import { meQuery, useMay } from "../session/me.ts";
import { Time } from "./values.tsx";

type Given = Schema<"RunFeedback">;
type Rating = Given["rating"];

/** A run that can be rated. */
interface Rated {
  readonly kind: ComponentKind;
  readonly component: string;
  readonly run: string;
  /** Callers who see only their own runs need the session. */
  readonly session?: string | null | undefined;
}

function pathOf({ kind, component, run }: Rated): string {
  return `/${kind}s/${encodeURIComponent(component)}/runs/${encodeURIComponent(run)}/feedback`;
}

/** The feedback about a run, last changed first. */
function feedbackQuery(rated: Rated) {
  const query = rated.session ? `?${new URLSearchParams({ session_id: rated.session })}` : "";
  return queryOptions({
    queryKey: ["feedback", rated.kind, rated.component, rated.run],
    queryFn: async () => (await runs.request("GET", pathOf(rated) + query)) as readonly Given[],
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Buttons that rate a run, and the caller's note. Nothing for callers without the right. */
export function Feedback({ rated }: { readonly rated: Rated }): ReactNode {
  const { kind, component } = rated;
  const may = useMay();
  const { data: me } = useQuery(meQuery);
  const mayRead = may(`GET /${kind}s/{${kind}_id}/runs/{run_id}/feedback`, component);
  const mayRate = may(`POST /${kind}s/{${kind}_id}/runs/{run_id}/feedback`, component);
  const { data: given } = useQuery({ ...feedbackQuery(rated), enabled: mayRead });
  const change = useFeedbackChange(rated);
  if (!mayRate || !me || (mayRead && !given)) return null;
  const own = given?.find(({ user_id: user }) => user === (me.user_id ?? null));
  const rate = (rating: Rating): void =>
    change.mutate(rating === own?.rating ? undefined : { rating, note: own?.note ?? null });
  return (
    <Group gap={2} wrap="nowrap">
      <Thumb rating="up" own={own} onRate={rate} icons={[IconThumbUp, IconThumbUpFilled]} />
      <Thumb rating="down" own={own} onRate={rate} icons={[IconThumbDown, IconThumbDownFilled]} />
      {own && (
        <Note
          key={own.updated_at}
          own={own}
          isSaving={change.isPending}
          onSave={(note) => change.mutateAsync({ rating: own.rating, note })}
        />
      )}
    </Group>
  );
}

/** Stores the caller's feedback; undefined removes it. */
function useFeedbackChange(rated: Rated) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (next: { readonly rating: Rating; readonly note: string | null } | undefined) => {
      if (next) await runs.request("POST", pathOf(rated), next);
      else await runs.request("DELETE", pathOf(rated));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: feedbackQuery(rated).queryKey }),
  });
}

interface ThumbProps {
  readonly rating: Rating;
  readonly own: Given | undefined;
  readonly onRate: (rating: Rating) => void;
  readonly icons: readonly [Icon, Icon];
}

function Thumb({ rating, own, onRate, icons: [Empty, Filled] }: ThumbProps): ReactNode {
  const isChosen = own?.rating === rating;
  const label = rating === "up" ? "Good answer" : "Bad answer";
  const Shown = isChosen ? Filled : Empty;
  return (
    <Tooltip label={isChosen ? `${label}: remove it` : label}>
      <ActionIcon
        variant="subtle"
        color={isChosen ? "blue" : "gray"}
        size="sm"
        aria-label={label}
        aria-pressed={isChosen}
        onClick={() => onRate(rating)}
      >
        <Shown size={14} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

interface NoteProps {
  readonly own: Given;
  readonly isSaving: boolean;
  readonly onSave: (note: string | null) => Promise<void>;
}

function Note({ own, isSaving, onSave }: NoteProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState(own.note ?? "");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void onSave(text.trim() || null).then(
      () => setOpen(false),
      () => undefined,
    );
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="top" withinPortal trapFocus shadow="md" width={300}>
      <Popover.Target>
        <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setOpen(!isOpen)}>
          {own.note ? "Change the note" : "Add a note"}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Note">
        <form onSubmit={submit}>
          <Stack gap="xs">
            <Textarea
              label="Note"
              autosize
              minRows={2}
              maxRows={8}
              maxLength={4000}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <Button type="submit" size="xs" loading={isSaving}>
              Save
            </Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The feedback of all users about a run. Nothing without feedback. */
export function FeedbackList({ rated }: { readonly rated: Rated }): ReactNode {
  const { kind, component } = rated;
  const may = useMay();
  const mayRead = may(`GET /${kind}s/{${kind}_id}/runs/{run_id}/feedback`, component);
  const { data: given = [] } = useQuery({ ...feedbackQuery(rated), enabled: mayRead });
  if (given.length === 0) return null;
  return (
    <Stack gap={4} component="section" aria-label="Feedback">
      {given.map(({ user_id: user, rating, note, updated_at: time }) => {
        const Shown = rating === "up" ? IconThumbUp : IconThumbDown;
        return (
          <Group key={user ?? ""} gap={6} wrap="nowrap" align="flex-start">
            <Shown size={16} aria-label={rating === "up" ? "Good answer" : "Bad answer"} role="img" />
            <Text size="sm">
              {note ?? (rating === "up" ? "Good answer" : "Bad answer")}{" "}
              <Text span size="xs" c="dimmed">
                {user ?? "no user"}, <Time value={time} />
              </Text>
            </Text>
          </Group>
        );
      })}
    </Stack>
  );
}
