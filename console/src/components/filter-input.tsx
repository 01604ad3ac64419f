/** A text filter that changes the URL a moment after the last key. */
import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { type ReactNode, useEffect, useState } from "react";

interface FilterInputProps extends Omit<TextInputProps, "value" | "onChange"> {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

export function FilterInput({ value = "", onChange, ...props }: FilterInputProps): ReactNode {
  const [text, setText] = useState(value);
  const publish = useDebouncedCallback((next: string) => onChange(next.trim() || undefined), 300);
  // Another part of the page may change the filter, such as the browser's back button.
  useEffect(() => setText(value), [value]);
  return (
    <TextInput
      leftSection={<IconSearch size={14} aria-hidden />}
      {...props}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        publish(event.currentTarget.value);
      }}
    />
  );
}
