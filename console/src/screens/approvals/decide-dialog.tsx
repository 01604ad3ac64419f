/** Confirms a decision about one or several rows. A rejection may have a note. */
import { Button, Group, List, Modal, Stack, Text, Textarea } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";

export interface Asked {
  readonly confirmed: boolean;
  readonly names: readonly string[];
  readonly onConfirm: (note: string | undefined) => void;
}

const maxNames = 8;

export function DecideDialog({ asked, onClose }: { readonly asked: Asked; readonly onClose: () => void }): ReactNode {
  const { confirmed, names, onConfirm } = asked;
  const [note, setNote] = useState("");
  const verb = confirmed ? "Approve" : "Reject";
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onConfirm(note.trim() || undefined);
    onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      centered
      title={names.length === 1 ? `${verb} this request?` : `${verb} ${names.length} requests?`}
    >
      <form onSubmit={submit}>
        <Stack>
          <List size="sm">
            {names.slice(0, maxNames).map((name, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: several requests may have the same name, and the list does not change.
              <List.Item key={place}>{name}</List.Item>
            ))}
            {names.length > maxNames && <List.Item>and {names.length - maxNames} more</List.Item>}
          </List>
          {confirmed ? (
            <Text size="sm">The runs continue at once.</Text>
          ) : (
            <Textarea
              label="Note"
              description="The model receives it with the rejection."
              autosize
              minRows={2}
              data-autofocus
              value={note}
              onChange={(event) => setNote(event.currentTarget.value)}
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" {...(confirmed ? { "data-autofocus": true } : { color: "red.8" })}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
