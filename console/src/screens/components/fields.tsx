/** The form of a config: an input for each option that people change most. The others are in its JSON. */
import { Anchor, Checkbox, Group, NumberInput, Select, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Config, isEqual, withOption } from "./config.ts";
import { definitionsQuery, type Shown, storedQuery } from "./queries.ts";

interface FieldsProps {
  readonly shown: Shown;
  readonly config: Config;
  readonly onChange: (config: Config) => void;
  /** The fault of an option. */
  readonly faults: Readonly<Record<string, string>>;
}

/** Options that the form has, by kind. */
export const formOptions = {
  agent: ["name", "description", "instructions", "model", "tools", "knowledge", "guardrails", "maxSteps"],
  team: ["name", "description", "mode", "instructions", "members", "model", "tools", "knowledge", "guardrails"],
  workflow: ["name", "description"],
} as const;

type Option = (typeof formOptions)["agent" | "team"][number];

const labels: Readonly<Record<Option, string>> = {
  name: "Name",
  description: "Description",
  instructions: "Instructions",
  model: "Model",
  tools: "Tools",
  knowledge: "Knowledge bases",
  guardrails: "Guardrails",
  maxSteps: "Max model requests",
  mode: "Mode",
  members: "Members",
};

const modes = ["coordinate", "route", "broadcast", "tasks"];

export function Fields({ shown, config, onChange, faults }: FieldsProps): ReactNode {
  const code = shown.definition?.config;
  const members = useMemberChoices(shown);
  const { models, tools, knowledge, guardrails } = shown.parts;
  const shownValue = (option: Option): unknown => (option in config ? config[option] : code?.[option]);
  const set = (option: Option) => (value: unknown) => onChange(withOption(code, config, option, value));
  const propsOf = (option: Option): InputProps => ({
    label: labels[option],
    value: shownValue(option),
    ofCode: code?.[option],
    error: faults[option],
    onChange: set(option),
  });
  const inputs: Readonly<Record<Option, ReactNode>> = {
    name: <OneLine {...propsOf("name")} placeholder={shown.name} />,
    description: <OneLine {...propsOf("description")} placeholder={shown.stored?.description ?? ""} />,
    instructions: <Instructions {...propsOf("instructions")} />,
    model: <Choice {...propsOf("model")} choices={models} placeholder={models[0] ?? ""} />,
    mode: <Choice {...propsOf("mode")} choices={modes} placeholder="coordinate" />,
    tools: <Several {...propsOf("tools")} choices={tools} />,
    knowledge: <Several {...propsOf("knowledge")} choices={knowledge} />,
    guardrails: <Several {...propsOf("guardrails")} choices={guardrails} isFixed />,
    members: <Several {...propsOf("members")} choices={members} />,
    maxSteps: <Count {...propsOf("maxSteps")} />,
  };
  return (
    <Stack>
      {formOptions[shown.kind].map((option) => (
        <div key={option}>
          {inputs[option]}
          {code && option in config && (
            <Group gap={6} mt={4}>
              <Text size="xs" c="dimmed">
                {config[option] === null ? "Removes the code's value." : "Replaces the code's value."}
              </Text>
              <Anchor
                component="button"
                type="button"
                size="xs"
                aria-label={`Use the code's ${labels[option].toLowerCase()}`}
                onClick={() => set(option)(code[option])}
              >
                Use the code's
              </Anchor>
            </Group>
          )}
        </div>
      ))}
      <Text size="sm" c="dimmed">
        {shown.kind === "workflow"
          ? "The steps and all other options are in the JSON."
          : "All other options are in the JSON."}
      </Text>
    </Stack>
  );
}

interface InputProps {
  readonly label: string;
  /** Undefined or null: the option is absent. */
  readonly value: unknown;
  readonly ofCode: unknown;
  readonly error: string | undefined;
  readonly onChange: (value: unknown) => void;
}

function OneLine({
  label,
  value,
  error,
  onChange,
  placeholder,
}: InputProps & { readonly placeholder: string }): ReactNode {
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={typeof value === "string" ? value : ""}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A list of texts becomes one text as soon as it is changed. */
function Instructions({ label, value, error, onChange }: InputProps): ReactNode {
  const isOther = value !== undefined && value !== null && typeof value !== "string" && !Array.isArray(value);
  return (
    <Textarea
      label={label}
      description={isOther ? "A registered function returns them. A text replaces it." : undefined}
      autosize
      minRows={4}
      maxRows={18}
      value={typeof value === "string" ? value : Array.isArray(value) ? value.join("\n") : ""}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface ChoiceProps extends InputProps {
  readonly choices: readonly string[];
  readonly placeholder: string;
}

function Choice({ label, value, ofCode, error, onChange, choices, placeholder }: ChoiceProps): ReactNode {
  const chosen = typeof value === "string" ? value : null;
  return (
    <Select
      label={label}
      placeholder={placeholder}
      data={[...new Set([...choices, ...(chosen === null ? [] : [chosen])])]}
      value={chosen}
      error={error}
      onChange={(next) => onChange(next ?? undefined)}
      clearable={ofCode === undefined}
      allowDeselect={false}
      searchable
    />
  );
}

interface SeveralProps extends InputProps {
  readonly choices: readonly string[];
  /** The code's choices cannot be removed. */
  readonly isFixed?: boolean;
}

function Several({ label, value, ofCode, error, onChange, choices, isFixed = false }: SeveralProps): ReactNode {
  const fixed = isFixed ? textsIn(ofCode) : [];
  const isForm = value === undefined || value === null || isTexts(value);
  const chosen = [...new Set([...fixed, ...textsIn(value)])];
  const all = [...new Set([...choices, ...chosen])];
  if (all.length === 0 && !error) return null;
  return (
    <Checkbox.Group
      label={label}
      description={isForm ? undefined : "Its value has more options: change it in the JSON."}
      error={error}
      value={chosen}
      onChange={(next) => {
        const others = all.filter((one) => next.includes(one));
        // The order of the code is not a change.
        const before = textsIn(ofCode);
        const isSame = isEqual([...before].sort(), [...others].sort());
        onChange(isSame ? ofCode : others.length === 0 && ofCode === undefined ? undefined : others);
      }}
    >
      <Group gap="md" mt={6}>
        {all.map((one) => (
          <Checkbox key={one} value={one} label={one} disabled={!isForm || fixed.includes(one)} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}

function Count({ label, value, error, onChange }: InputProps): ReactNode {
  return (
    <NumberInput
      label={label}
      description="Of one run."
      min={1}
      allowDecimal={false}
      maw={200}
      value={typeof value === "number" ? value : ""}
      error={error}
      onChange={(next) => onChange(typeof next === "number" ? next : undefined)}
    />
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function textsIn(value: unknown): readonly string[] {
  return isTexts(value) ? value : [];
}

/** Agents and teams that can be members: an id that both kinds have is not a choice, because it needs its kind. */
function useMemberChoices({ kind, id }: Shown): readonly string[] {
  const { data: definitions } = useQuery(definitionsQuery);
  const { data: stored } = useQuery({ ...storedQuery, enabled: kind === "team" });
  if (kind !== "team") return [];
  const all = [...(definitions?.components ?? []), ...(stored ?? [])].filter(
    (one) => one.component_type !== "workflow",
  );
  const keys = new Set(all.map((one) => `${one.component_type}/${one.component_id}`));
  return [...new Set(all.map((one) => one.component_id))].filter(
    (one) => one !== id && !(keys.has(`agent/${one}`) && keys.has(`team/${one}`)),
  );
}
