/** The form that adds documents: files, a text, or an address. */
import { Button, FileInput, Group, Modal, SegmentedControl, Stack, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { JsonObjectInput, objectIn } from "../../components/json-object-input.tsx";
import { configQuery } from "./queries.ts";
import { addUploads, type NewDocument } from "./uploads.ts";

const kinds = [
  { value: "files", label: "Files" },
  { value: "text", label: "Text" },
  { value: "url", label: "Address" },
] as const;
type Kind = (typeof kinds)[number]["value"];

interface AddProps {
  readonly base: string;
  readonly onClose: () => void;
}

export function AddDocuments({ base, onClose }: AddProps): ReactNode {
  const { data: config } = useQuery(configQuery(base));
  const [kind, setKind] = useState<Kind>("files");
  const [files, setFiles] = useState<readonly File[]>([]);
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const [url, setUrl] = useState("");
  const [description, setDescription] = useState("");
  const [metadata, setMetadata] = useState("");
  const isWhole = { files: files.length > 0, text: text.trim() !== "" && name.trim() !== "", url: isAddress(url) }[
    kind
  ];
  const isReady = isWhole && (metadata.trim() === "" || objectIn(metadata) !== undefined);
  const extensions = Object.keys(config?.readersForType ?? {});
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady) return;
    const shared = { description: description.trim(), metadata: metadata.trim() };
    const given = { name: name.trim(), ...shared };
    const documents: Readonly<Record<Kind, () => readonly NewDocument[]>> = {
      files: () => files.map((file) => toDocument(file.name, file.size, { ...shared, file })),
      text: () => [toDocument(name.trim(), new Blob([text]).size, { ...given, text_content: text })],
      url: () => [toDocument(name.trim() || url.trim(), undefined, { ...given, url: url.trim() })],
    };
    addUploads(base, documents[kind]());
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title="Add documents" centered size="lg">
      <form
        onSubmit={submit}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          if (event.dataTransfer.files.length === 0) return;
          setKind("files");
          setFiles([...event.dataTransfer.files]);
        }}
      >
        <Stack>
          <SegmentedControl
            aria-label="What to add"
            data={[...kinds]}
            value={kind}
            onChange={(next) => setKind(next as Kind)}
          />
          {kind === "files" && (
            <FileInput
              label="Files"
              description={
                extensions.length > 0
                  ? `Choose or drop them here. Types: ${extensions.join(", ")}`
                  : "Choose or drop them here"
              }
              placeholder="Choose files"
              multiple
              data-autofocus
              clearable
              clearButtonProps={{ "aria-label": "Remove the files" }}
              required
              value={[...files]}
              onChange={setFiles}
            />
          )}
          {kind === "url" && (
            <TextInput
              label="Address"
              description="The server reads it, and must be able to reach it"
              placeholder="https://"
              type="url"
              required
              error={url === "" || isAddress(url) ? undefined : "This is not an http or https address"}
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
            />
          )}
          {kind !== "files" && (
            <TextInput
              label="Name"
              description={
                kind === "text" ? "A text with the same name replaces the earlier one" : "Default: the address"
              }
              required={kind === "text"}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
          )}
          {kind === "text" && (
            <Textarea
              label="Text"
              autosize
              minRows={6}
              maxRows={16}
              required
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          <TextInput
            label="Description"
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <JsonObjectInput
            label="Metadata"
            description="A JSON object. Searches can filter by its members"
            placeholder='{"product": "x100", "year": 2026}'
            isOptional
            minRows={2}
            text={metadata}
            onChange={setMetadata}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!isReady}>
              {kind === "files" && files.length > 1 ? `Add ${files.length} documents` : "Add"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function isAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text.trim())?.protocol ?? "");
}

function toDocument(
  name: string,
  size: number | undefined,
  fields: Readonly<Record<string, string | File>>,
): NewDocument {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) if (value !== "") form.set(key, value);
  return { name, size, form };
}
