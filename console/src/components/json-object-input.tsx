/** An input for a JSON object. */
import { JsonInput } from "@mantine/core";
import type { ReactNode } from "react";

interface JsonObjectInputProps {
  readonly label: string;
  readonly description: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** Permits an empty text. Default: false. */
  readonly isOptional?: boolean;
  readonly placeholder?: string;
  readonly minRows?: number;
  /** A fault of a JSON object. */
  readonly error?: string | undefined;
}

export function JsonObjectInput(props: JsonObjectInputProps): ReactNode {
  const { label, description, text, onChange, isOptional = false, placeholder, minRows = 6, error } = props;
  const isValid = objectIn(text) !== undefined || (isOptional && text.trim() === "");
  return (
    <JsonInput
      label={label}
      description={description}
      placeholder={placeholder}
      error={isValid ? error : "This is not a JSON object"}
      autosize
      minRows={minRows}
      maxRows={20}
      required={!isOptional}
      value={text}
      onChange={onChange}
    />
  );
}

/** The object of a text; undefined if the text is none. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
