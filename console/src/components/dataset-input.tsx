/** Chooses a dataset, or names a new one. */
import { Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { datasetChoicesQuery, type Target } from "../api/datasets.ts";

interface DatasetInputProps {
  /** Undefined while the caller has chosen no dataset. */
  readonly value: Target | undefined;
  readonly onChange: (target: Target) => void;
  /** Name that a new dataset gets first. */
  readonly newName: string;
}

const fresh = "new";

export function DatasetInput({ value, onChange, newName }: DatasetInputProps): ReactNode {
  const { data: datasets = [] } = useQuery(datasetChoicesQuery);
  const choices = [
    { value: fresh, label: "New dataset" },
    ...datasets.map(({ id, name, row_count: rows }) => ({ value: `id:${id}`, label: `${name} (${rows})` })),
  ];
  const chosen = value === undefined ? null : "id" in value ? `id:${value.id}` : fresh;
  return (
    <>
      <Select
        label="Dataset"
        placeholder="Choose a dataset"
        data={choices}
        value={chosen}
        onChange={(next) => {
          if (next !== null) onChange(next === fresh ? { name: newName } : { id: next.slice(3) });
        }}
        allowDeselect={false}
        searchable
        required
      />
      {value && "name" in value && (
        <TextInput
          label="Name of the dataset"
          value={value.name}
          maxLength={200}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
          required
        />
      )}
    </>
  );
}
