/** One event as it is in the log. */
import { Drawer } from "@mantine/core";
import type { ReactNode } from "react";
import { Json } from "../../components/json.tsx";
import type { LogEvent } from "./log-event.ts";

export function EventDetails({
  event,
  onClose,
}: {
  readonly event: LogEvent;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title={`Event ${event.event_index}: ${event.event}`}>
      <Json value={event} label="event" />
    </Drawer>
  );
}
