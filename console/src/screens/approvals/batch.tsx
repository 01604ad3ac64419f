/** Decisions about several rows of a list at once: their selection, the dialog before and the report after them. */
import { Button, Group, Text } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { type Decision, type Outcome, useDecisions } from "./decide.ts";
import { type Asked, DecideDialog } from "./decide-dialog.tsx";
import { Report } from "./report.tsx";

interface Batch {
  /** Keys of the selected rows. */
  readonly selected: ReadonlySet<string>;
  readonly select: (selected: ReadonlySet<string>) => void;
  /** Opens the dialog that confirms a decision. */
  readonly ask: (asked: Asked) => void;
  readonly asked: Asked | undefined;
  readonly outcomes: readonly Outcome[];
  readonly closeReport: () => void;
  readonly send: (decisions: readonly Decision[]) => void;
  readonly isSending: boolean;
  readonly closeDialog: () => void;
}

/** `onSent` is called when all decisions of a batch have an outcome. */
export function useBatch(onSent: () => void): Batch {
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<Asked>();
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const { mutate: send, isPending: isSending } = useDecisions((next) => {
    setOutcomes(next);
    select(new Set());
    onSent();
  });
  return {
    ...{ selected, select, asked, ask: setAsked, closeDialog: () => setAsked(undefined) },
    ...{ outcomes, closeReport: () => setOutcomes([]), send, isSending },
  };
}

interface BatchControlsProps<Row> {
  readonly batch: Batch;
  readonly chosen: readonly Row[];
  /** The chosen rows for which a yes is a complete answer. */
  readonly approvable: readonly Row[];
  /** The chosen rows that take a no. */
  readonly rejectable: readonly Row[];
  /** What the other rows need: `need values`. */
  readonly others: string;
  readonly onDecide: (confirmed: boolean, rows: readonly Row[]) => void;
}

/** The buttons above a list, its dialog and its report. */
export function BatchControls<Row>(props: BatchControlsProps<Row>): ReactNode {
  const { batch, chosen, approvable, rejectable, others, onDecide } = props;
  return (
    <>
      {chosen.length > 0 && (
        <Group gap="sm">
          <Text size="sm">{chosen.length} selected</Text>
          <Button
            size="xs"
            leftSection={<IconCheck size={14} aria-hidden />}
            disabled={approvable.length === 0}
            loading={batch.isSending}
            onClick={() => onDecide(true, approvable)}
          >
            Approve {approvable.length}
          </Button>
          <Button
            size="xs"
            color="red"
            variant="light"
            leftSection={<IconX size={14} aria-hidden />}
            disabled={rejectable.length === 0}
            loading={batch.isSending}
            onClick={() => onDecide(false, rejectable)}
          >
            Reject {rejectable.length}
          </Button>
          {approvable.length < chosen.length && (
            <Text size="sm" c="dimmed">
              {chosen.length - approvable.length} {others}: open them.
            </Text>
          )}
        </Group>
      )}
      {batch.outcomes.length > 0 && <Report outcomes={batch.outcomes} onClose={batch.closeReport} />}
      {batch.asked && <DecideDialog asked={batch.asked} onClose={batch.closeDialog} />}
    </>
  );
}
