/** Chooses scorers, and enters the options of those that have one. */
import { Checkbox, Group, Stack, Textarea, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { type ScorerChoice, scorerNames } from "../api/scorers.ts";

interface ScorersInputProps {
  readonly description: string;
  readonly value: ScorerChoice;
  readonly onChange: (value: ScorerChoice) => void;
  readonly error?: string | undefined;
}

export function ScorersInput({ description, value, onChange, error }: ScorersInputProps): ReactNode {
  const { names, options } = value;
  const option = (name: keyof ScorerChoice["options"]) => ({
    value: options[name] ?? "",
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ names, options: { ...options, [name]: event.currentTarget.value } }),
  });
  return (
    <Stack gap="sm">
      <Checkbox.Group
        label="Scorers"
        description={description}
        value={[...names]}
        onChange={(next) => onChange({ names: next, options })}
        error={error}
      >
        <Group gap="md" mt="xs">
          {scorerNames.map((one) => (
            <Checkbox key={one} value={one} label={one} />
          ))}
        </Group>
      </Checkbox.Group>
      {names.includes("contains") && (
        <TextInput
          label="Text of contains"
          description="The answer must contain it. Default: the expected output."
          {...option("text")}
        />
      )}
      {names.includes("regex") && (
        <TextInput
          label="Pattern of regex"
          description="The answer must match it. Default: the expected output."
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          {...option("pattern")}
        />
      )}
      {names.includes("judge") && (
        <Textarea
          label="Criteria of judge"
          description="A model decides how well the answer meets them."
          placeholder="It is polite, and it answers the question."
          autosize
          minRows={2}
          required
          {...option("criteria")}
        />
      )}
    </Stack>
  );
}
