/** The form for a new memory. */
import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { type Draft, MemoryFields } from "./fields.tsx";
import { useCreateMemory } from "./queries.ts";

interface CreateProps {
  /** Undefined for a caller who has only their own memories. */
  readonly user: string | undefined;
  readonly isOwn: boolean;
  readonly onClose: () => void;
}

export function CreateMemory({ user: given = "", isOwn, onClose }: CreateProps): ReactNode {
  const [user, setUser] = useState(given);
  const [draft, setDraft] = useState<Draft>({ memory: "", topics: [] });
  const create = useCreateMemory();
  const isReady = draft.memory.trim() !== "" && (isOwn || user.trim() !== "");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady) return;
    const { memory, topics } = draft;
    create.mutate(
      { memory: memory.trim(), topics: [...topics], ...(isOwn ? {} : { user_id: user.trim() }) },
      { onSuccess: onClose },
    );
  };
  return (
    <Modal opened onClose={onClose} title="New memory" centered size="lg">
      <form onSubmit={submit}>
        <Stack>
          {!isOwn && (
            <TextInput
              label="User"
              description="Id of the user whom the memory is about"
              required
              data-autofocus={user === "" ? true : undefined}
              value={user}
              onChange={(event) => setUser(event.currentTarget.value)}
            />
          )}
          <MemoryFields draft={draft} onChange={setDraft} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!isReady} loading={create.isPending}>
              Store
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
