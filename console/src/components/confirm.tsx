/** Asks the caller to confirm an action that cannot be undone. */
import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";

interface Question {
  readonly title: string;
  readonly message: string;
  /** The label of the button that confirms: a verb, such as `Delete`. */
  readonly confirm: string;
  readonly onConfirm: () => void;
}

export function askToConfirm({ title, message, confirm, onConfirm }: Question): void {
  modals.openConfirmModal({
    title,
    centered: true,
    children: <Text size="sm">{message}</Text>,
    labels: { confirm, cancel: "Cancel" },
    // White on a lighter shade has too little contrast for WCAG 2.2 AA.
    confirmProps: { color: "red.8" },
    onConfirm,
  });
}
