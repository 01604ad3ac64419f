import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { type SessionName, useRenameSession } from "./queries.ts";

interface RenameProps {
  readonly session: SessionName;
  readonly current: string;
  readonly onClose: () => void;
}

export function RenameSession({ session, current, onClose }: RenameProps): ReactNode {
  const [name, setName] = useState(current);
  const rename = useRenameSession();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    rename.mutate({ session, name: name.trim() }, { onSuccess: onClose });
  };
  return (
    <Modal opened onClose={onClose} title="Rename the session" centered>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            required
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={rename.isPending} disabled={name.trim() === ""}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
