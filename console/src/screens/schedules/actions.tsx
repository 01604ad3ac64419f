/** What a caller can do with a schedule. */
import { ActionIcon, Menu } from "@mantine/core";
import { IconBolt, IconDots, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { notifyDone } from "../../api/queries.ts";
import { askToConfirm } from "../../components/confirm.tsx";
import { useMay } from "../../session/me.ts";
import { isFromCode, remove, type Schedule, setEnabled, trigger, useScheduleAction } from "./queries.ts";

/** The actions that the caller may use; undefined for those that the caller may not. */
export interface Abilities {
  readonly onTrigger: ((schedule: Schedule) => void) | undefined;
  readonly onToggle: ((schedule: Schedule) => void) | undefined;
  readonly onEdit: ((schedule: Schedule) => void) | undefined;
  readonly onDelete: ((schedule: Schedule) => void) | undefined;
}

export function useAbilities(onDeleted?: () => void): Abilities {
  const may = useMay();
  const navigate = useNavigate();
  const { mutate: toggle } = useScheduleAction(setEnabled);
  const { mutate: fire } = useScheduleAction(trigger);
  const { mutate: drop } = useScheduleAction(remove);
  const mayToggle = may("POST /schedules/{schedule_id}/disable");
  const mayTrigger = may("POST /schedules/{schedule_id}/trigger");
  const mayEdit = may("PATCH /schedules/{schedule_id}");
  const mayDelete = may("DELETE /schedules/{schedule_id}");
  // biome-ignore lint/correctness/useExhaustiveDependencies: onDeleted only navigates.
  return useMemo(
    () => ({
      onToggle: mayToggle ? (schedule) => toggle(schedule) : undefined,
      onTrigger: mayTrigger
        ? (schedule) => {
            notifyDone(`${schedule.name} fires now. Its record appears in the history.`);
            fire(schedule);
          }
        : undefined,
      onEdit: mayEdit
        ? ({ id }) =>
            void navigate({ to: "/schedules/$scheduleId", params: { scheduleId: id }, search: { edit: true } })
        : undefined,
      onDelete: mayDelete
        ? (schedule) =>
            askToConfirm({
              title: "Delete this schedule?",
              message: `"${schedule.name}" never fires again, and its history is deleted. Runs that it has started continue.`,
              confirm: "Delete",
              onConfirm: () => drop(schedule, { onSuccess: () => onDeleted?.() }),
            })
        : undefined,
    }),
    [mayToggle, mayTrigger, mayEdit, mayDelete, toggle, fire, drop, navigate],
  );
}

interface ScheduleMenuProps {
  readonly schedule: Schedule;
  readonly abilities: Abilities;
}

export function ScheduleMenu({ schedule, abilities }: ScheduleMenuProps): ReactNode {
  const { onTrigger, onToggle } = abilities;
  // The server lets only the code change or delete a schedule of the code.
  const onEdit = isFromCode(schedule) ? undefined : abilities.onEdit;
  const onDelete = isFromCode(schedule) ? undefined : abilities.onDelete;
  if (!onTrigger && !onToggle && !onEdit && !onDelete) return null;
  const { enabled, name } = schedule;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {onTrigger && (
          <Menu.Item
            leftSection={<IconBolt size={14} aria-hidden />}
            disabled={!enabled}
            onClick={() => onTrigger(schedule)}
          >
            Fire now
          </Menu.Item>
        )}
        {onToggle && (
          <Menu.Item
            leftSection={enabled ? <IconPlayerPause size={14} aria-hidden /> : <IconPlayerPlay size={14} aria-hidden />}
            onClick={() => onToggle(schedule)}
          >
            {enabled ? "Pause" : "Enable"}
          </Menu.Item>
        )}
        {onEdit && (
          <Menu.Item leftSection={<IconPencil size={14} aria-hidden />} onClick={() => onEdit(schedule)}>
            Change
          </Menu.Item>
        )}
        {onDelete && (
          <Menu.Item color="red" leftSection={<IconTrash size={14} aria-hidden />} onClick={() => onDelete(schedule)}>
            Delete
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
