/** A filter with a few choices; empty for all of them. */
import { Select } from "@mantine/core";
import type { ReactNode } from "react";
import { type ComponentKind, componentKinds } from "../api/component-kinds.ts";

interface FilterSelectProps<Choice extends string> {
  readonly label: string;
  /** Shown without a choice: `All states`. */
  readonly placeholder: string;
  readonly choices: readonly { readonly value: Choice; readonly label: string }[];
  readonly value: Choice | undefined;
  readonly onChange: (value: Choice | undefined) => void;
  readonly searchable?: boolean;
  readonly w?: number;
}

export function FilterSelect<Choice extends string>(props: FilterSelectProps<Choice>): ReactNode {
  const { choices, value, onChange, ...rest } = props;
  return (
    <Select
      {...rest}
      data={choices}
      value={value ?? null}
      onChange={(next) => onChange((next ?? undefined) as Choice | undefined)}
      clearable
    />
  );
}

const kindChoices = componentKinds.map((kind) => ({ value: kind, label: `${kind}s` }));

/** A filter by the kind of component. */
export function KindFilter(props: Pick<FilterSelectProps<ComponentKind>, "value" | "onChange">): ReactNode {
  return <FilterSelect label="Kind" placeholder="All kinds" choices={kindChoices} {...props} />;
}
