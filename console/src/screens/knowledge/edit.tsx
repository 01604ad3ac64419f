/** The form that changes a document's name, description and metadata. */
import { Button, Group, Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { JsonObjectInput, objectIn } from "../../components/json-object-input.tsx";
import { type Document, useUpdateDocument } from "./queries.ts";

interface EditProps {
  readonly base: string;
  readonly document: Document;
  readonly onClose: () => void;
}

export function EditDocument({ base, document, onClose }: EditProps): ReactNode {
  const [name, setName] = useState(document.name ?? "");
  const [description, setDescription] = useState(document.description ?? "");
  const [text, setText] = useState(JSON.stringify(document.metadata ?? {}, null, 2));
  const update = useUpdateDocument(base, document.id);
  const metadata = objectIn(text);
  const isReady = name.trim() !== "" && metadata !== undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!metadata || !isReady) return;
    update.mutate({ name: name.trim(), description: description.trim(), metadata }, { onSuccess: onClose });
  };
  return (
    <Modal opened onClose={onClose} title="Change the document" centered size="lg">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label="Description"
            autosize
            minRows={2}
            maxRows={8}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <JsonObjectInput
            label="Metadata"
            description="A JSON object. Searches can filter by its members"
            minRows={4}
            text={text}
            onChange={setText}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!isReady} loading={update.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
