/** Adds the run's message and answer to a dataset. */
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { type Target, useAddRows } from "../../api/datasets.ts";
import { notifyDone } from "../../api/queries.ts";
import { DatasetInput } from "../../components/dataset-input.tsx";

interface AddToDatasetProps {
  readonly run: string;
  readonly component: string;
  readonly onClose: () => void;
}

export function AddToDataset({ run, component, onClose }: AddToDatasetProps): ReactNode {
  const [target, setTarget] = useState<Target>();
  const add = useAddRows();
  const isReady = target !== undefined && ("id" in target || target.name.trim() !== "");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!target || !isReady) return;
    const done = ({ name }: { readonly name: string }): void => {
      notifyDone(`The run is a row of ${name}.`);
      onClose();
    };
    add.mutate({ target, given: { run_ids: [run] } }, { onSuccess: done });
  };
  return (
    <Modal opened onClose={onClose} title="Add to a dataset" centered>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" c="dimmed">
            The message becomes the input of a row, and the answer of a completed run its expected answer.
          </Text>
          <DatasetInput value={target} onChange={setTarget} newName={`Runs of ${component}`} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!isReady} loading={add.isPending}>
              Add
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
