/** Changes the name and the description of a dataset. */
import { Button, Group, Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import type { Dataset } from "../../api/datasets.ts";
import { useChangeDataset } from "./queries.ts";

interface ChangeProps {
  readonly dataset: Dataset;
  readonly onClose: () => void;
}

export function ChangeDataset({ dataset, onClose }: ChangeProps): ReactNode {
  const [name, setName] = useState(dataset.name);
  const [description, setDescription] = useState(dataset.description ?? "");
  const change = useChangeDataset(dataset.id);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() !== "")
      change.mutate({ name: name.trim(), description: description.trim() }, { onSuccess: onClose });
  };
  return (
    <Modal opened onClose={onClose} title="Change the dataset" centered>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            value={name}
            maxLength={200}
            onChange={(event) => setName(event.currentTarget.value)}
            required
            data-autofocus
          />
          <Textarea
            label="Description"
            autosize
            minRows={2}
            maxRows={10}
            maxLength={4_000}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending} disabled={name.trim() === ""}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
