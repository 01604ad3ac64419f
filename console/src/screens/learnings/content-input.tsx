/** The content of a learning, as JSON. */
import { JsonInput } from "@mantine/core";
import type { ReactNode } from "react";

interface ContentInputProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

export function ContentInput({ text, onChange }: ContentInputProps): ReactNode {
  return (
    <JsonInput
      label="Content"
      description="A JSON object"
      error={contentIn(text) ? undefined : "This is not a JSON object"}
      formatOnBlur
      autosize
      minRows={6}
      maxRows={20}
      required
      value={text}
      onChange={onChange}
    />
  );
}

/** The object of a text; undefined if the text is none. */
export function contentIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
