/** A component to choose. */
import { Select } from "@mantine/core";
import type { ReactNode } from "react";
import { type ComponentKind, isComponentKind } from "../api/component-kinds.ts";
import type { Component } from "../api/components.ts";

interface ComponentSelectProps {
  /** What can be chosen. */
  readonly components: readonly Component[];
  /** The chosen component. It need not be one of `components`. */
  readonly kind: ComponentKind | undefined;
  readonly component: string | undefined;
  readonly placeholder: string;
  readonly error?: string | undefined;
  /** Whether the browser checks that a component is chosen. Default: false. */
  readonly required?: boolean;
  readonly onChange: (kind: ComponentKind, component: string) => void;
}

export function ComponentSelect(props: ComponentSelectProps): ReactNode {
  const { components, kind, component, placeholder, error, required = false, onChange } = props;
  const chosen = kind && component !== undefined ? `${kind}/${component}` : null;
  const listed = components.map((one) => ({ value: `${one.kind}/${one.id}`, label: `${one.name} (${one.kind})` }));
  const isListed = listed.some(({ value }) => value === chosen);
  return (
    <Select
      label="Component"
      placeholder={placeholder}
      data={chosen === null || isListed ? listed : [...listed, { value: chosen, label: component ?? chosen }]}
      value={chosen}
      onChange={(next) => {
        const [nextKind = "", ...rest] = next?.split("/") ?? [];
        if (isComponentKind(nextKind)) onChange(nextKind, rest.join("/"));
      }}
      allowDeselect={false}
      searchable
      withAsterisk
      required={required}
      error={error}
    />
  );
}
