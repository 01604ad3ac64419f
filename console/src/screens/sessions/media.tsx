/** Files of a message. A list of runs omits their bytes, so that the record of the run is read for them. */
import { Text } from "@mantine/core";
import { IconFile } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { runs } from "../../api/client.ts";
import type { ComponentKind } from "../../api/component-kinds.ts";
import classes from "./conversation.module.css";
import { mediaIn, type WireMedia, type WireRun } from "./conversation-runs.ts";

interface MediaProps {
  /** The run as the list has it. */
  readonly run: WireRun;
  readonly kind: ComponentKind;
  readonly component: string;
  readonly session: string;
  readonly select: (run: WireRun) => Parameters<typeof mediaIn>[0];
}

export function Media({ run, kind, component, session, select }: MediaProps): ReactNode {
  const listed = mediaIn(select(run));
  // A member's run has no record of its own.
  const isRoot = !run.parent_run_id;
  const { data } = useQuery({
    queryKey: ["session", session, "record", run.run_id],
    queryFn: async () =>
      (await runs[kind](component).follow(run.run_id, { sessionId: session }).record()) as unknown as WireRun,
    enabled: isRoot && listed.some(({ url, content }) => !url && !content),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const whole = mediaIn(data && select(data));
  if (listed.length === 0) return null;
  return (
    <div className={classes.media}>
      {(whole.length > 0 ? whole : listed).map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: media have no ids, and their order does not change.
        <Item key={at} item={item} place={at + 1} />
      ))}
    </div>
  );
}

function Item({ item, place }: { readonly item: WireMedia; readonly place: number }): ReactNode {
  const { url, content, mime_type: type } = item;
  const name = item.filename ?? item.name ?? url ?? `${type ?? "File"} ${place}`;
  const source = content && type ? `data:${type};base64,${content}` : undefined;
  if (source && type?.startsWith("image/")) return <img src={source} alt={name} className={classes.image} />;
  // biome-ignore lint/a11y/useMediaCaption: files of a conversation have no captions.
  if (source && type?.startsWith("audio/")) return <audio src={source} controls aria-label={name} />;
  return (
    <span className={classes.file}>
      <IconFile size={16} aria-hidden />
      <Text size="xs" truncate maw={260} span title={name}>
        {name}
      </Text>
    </span>
  );
}
