/** A filter by user, which offers known users. Another id takes effect with Enter, or when the input loses the focus. */
import { Autocomplete } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";

interface UserFilterProps {
  readonly users: readonly string[] | undefined;
  readonly value: string | undefined;
  readonly onChange: (user: string | undefined) => void;
}

export function UserFilter({ users = [], value = "", onChange }: UserFilterProps): ReactNode {
  const [text, setText] = useState(value);
  // Another part of the page may change the filter, such as the browser's back button.
  useEffect(() => setText(value), [value]);
  const publish = (): void => {
    if (text.trim() !== value) onChange(text.trim() || undefined);
  };
  return (
    <Autocomplete
      label="User"
      placeholder="Id"
      data={[...users]}
      value={text}
      onChange={setText}
      onOptionSubmit={onChange}
      onBlur={publish}
      onKeyDown={(event) => event.key === "Enter" && publish()}
      onClear={() => onChange(undefined)}
      clearable
    />
  );
}
