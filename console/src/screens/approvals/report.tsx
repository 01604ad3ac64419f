/** What became of each row of a decision about several. */
import { Alert, List, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { Outcome } from "./decide.ts";

interface ReportProps {
  readonly outcomes: readonly Outcome[];
  readonly onClose: () => void;
}

export function Report({ outcomes, onClose }: ReportProps): ReactNode {
  const failed = outcomes.filter(({ state }) => state !== "done").length;
  const title =
    failed === 0
      ? outcomes.length === 1
        ? "Done"
        : `All ${outcomes.length} decisions are sent`
      : `${outcomes.length - failed} of ${outcomes.length} decisions are sent`;
  return (
    <Alert
      color={failed === 0 ? "green" : "yellow"}
      title={title}
      icon={failed === 0 ? <IconCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
      role="status"
      withCloseButton
      closeButtonLabel="Close the report"
      onClose={onClose}
    >
      <List size="sm" listStyleType="none">
        {outcomes.map(({ key, name, message }) => (
          <List.Item key={key}>
            <Text span inherit fw={600}>
              {name}
            </Text>
            : {message}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
