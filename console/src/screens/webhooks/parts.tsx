/** Parts that the list and the panel of one delivery share. */
import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "../../components/components.module.css";
import { RunLink } from "../../components/run-link.tsx";
import type { Delivery } from "./queries.ts";

interface SubjectProps {
  readonly delivery: Delivery;
  /** Shows the link in the colour of links. */
  readonly isColoured: boolean;
}

/** The run or the schedule that a delivery reports. */
export function Subject({ delivery, isColoured }: SubjectProps): ReactNode {
  const { run_id: run, component_type: kind, component_id: component, session_id: session } = delivery;
  if (run && kind && component)
    return (
      <RunLink kind={kind} component={component} run={run} session={session} isColoured={isColoured}>
        {component} {run.slice(0, 8)}
      </RunLink>
    );
  if (delivery.schedule_id)
    return (
      <Link
        to="/schedules/$scheduleId"
        params={{ scheduleId: delivery.schedule_id }}
        search={{}}
        className={isColoured ? classes.colouredLink : classes.rowLink}
      >
        schedule {delivery.schedule_id.slice(0, 8)}
      </Link>
    );
  return <Text c="dimmed">–</Text>;
}
