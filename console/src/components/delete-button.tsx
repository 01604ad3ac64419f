/** A button that deletes something after a confirmation. */
import { Button } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { askToConfirm } from "./confirm.tsx";

interface DeleteButtonProps {
  /** The title and the text of the confirmation. */
  readonly title: string;
  readonly message: string;
  readonly onDelete: () => void;
  readonly isPending?: boolean;
  /** Default: `Delete`. */
  readonly children?: ReactNode;
}

export function DeleteButton(props: DeleteButtonProps): ReactNode {
  const { title, message, onDelete, isPending = false, children = "Delete" } = props;
  return (
    <Button
      variant="light"
      color="red"
      leftSection={<IconTrash size={14} aria-hidden />}
      loading={isPending}
      onClick={() => askToConfirm({ title, message, confirm: "Delete", onConfirm: onDelete })}
    >
      {children}
    </Button>
  );
}
