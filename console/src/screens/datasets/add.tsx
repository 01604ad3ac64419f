/** The form for rows: of a new dataset, or of one that exists. */
import { Button, FileButton, Group, Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { type Dataset, useAddRows } from "../../api/datasets.ts";
import { rowsIn } from "./rows-in.ts";

interface AddProps {
  /** Undefined for a new dataset. */
  readonly dataset: Dataset | undefined;
  readonly onAdded: (dataset: Dataset) => void;
  readonly onClose: () => void;
}

const example = `input,expected
When do you open?,At nine.`;

export function AddRows({ dataset, onAdded, onClose }: AddProps): ReactNode {
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const add = useAddRows();
  const given = rowsIn(text);
  const isWrong = text.trim() !== "" && given === undefined;
  const isReady = !isWrong && (dataset ? given !== undefined : name.trim() !== "");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady) return;
    const target = dataset ? { id: dataset.id } : { name: name.trim() };
    add.mutate({ target, given: given ?? {} }, { onSuccess: onAdded });
  };
  return (
    <Modal opened onClose={onClose} title={dataset ? "Add rows" : "New dataset"} centered size="lg">
      <form onSubmit={submit}>
        <Stack>
          {!dataset && (
            <TextInput
              label="Name"
              value={name}
              maxLength={200}
              onChange={(event) => setName(event.currentTarget.value)}
              data-autofocus
              required
            />
          )}
          <Textarea
            label="Rows"
            description="A CSV table with the columns input and expected, or a JSON list"
            placeholder={example}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={isWrong && "This is not a JSON list of inputs."}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            rows={8}
          />
          <Group justify="space-between">
            <FileButton onChange={(file) => void file?.text().then(setText)} accept=".csv,.tsv,.json,text/csv">
              {(props) => (
                <Button {...props} variant="default" leftSection={<IconUpload size={14} aria-hidden />}>
                  Read a file
                </Button>
              )}
            </FileButton>
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" disabled={!isReady} loading={add.isPending}>
                {dataset ? "Add" : "Create"}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
