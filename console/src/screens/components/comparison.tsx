/** What differs between two versions, or between a version and the code. */
import { Alert, Group, Select, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Json } from "../../components/json.tsx";
import { TextDiff } from "../../components/text-diff.tsx";
import { type Config, changesBetween, effective } from "./config.ts";
import { type Shown, versionQuery } from "./queries.ts";
import type { ComponentSearch, Side } from "./search.ts";

interface ComparisonProps {
  readonly shown: Shown;
  readonly search: ComponentSearch;
  readonly onChange: (change: ComponentSearch) => void;
}

export function Comparison({ shown, search, onChange }: ComparisonProps): ReactNode {
  const { definition, versions } = shown;
  const newest = versions[0]?.version;
  const to = search.to ?? newest ?? (definition ? "code" : undefined);
  const from = search.from ?? (definition && to !== "code" ? "code" : undefined);
  const after = useSide(shown, to);
  const before = useSide(shown, from);
  if (to === undefined) return null;
  const choices = [
    ...versions.map(({ version, stage, label }) => ({
      value: String(version),
      label: `Version ${version}${stage === "draft" ? ", draft" : ""}${label ? `: ${label}` : ""}`,
    })),
    ...(definition ? [{ value: "code", label: "Code" }] : []),
  ];
  const choose = (name: "from" | "to") => (value: string | null) =>
    onChange({ from, to, [name]: value === null ? undefined : value === "code" ? "code" : Number(value) });
  const error = after.error ?? before.error;
  return (
    <Stack gap="sm" component="section" aria-labelledby="options">
      <Title order={2} size="h4" id="options">
        Options
      </Title>
      <Group gap="xs" align="flex-end">
        <Select
          label="Compared with"
          placeholder="Nothing"
          data={choices}
          value={from === undefined ? null : String(from)}
          onChange={choose("from")}
          clearable={definition === undefined}
          w={{ base: "100%", xs: 220 }}
        />
        <Text component="span" c="dimmed" mb={6} visibleFrom="xs">
          <IconArrowRight size={16} aria-hidden />
        </Text>
        <Select
          label="Shown"
          data={choices}
          value={String(to)}
          onChange={choose("to")}
          allowDeselect={false}
          w={{ base: "100%", xs: 220 }}
        />
      </Group>
      {error ? (
        <ErrorPanel error={error} onRetry={() => void Promise.all([after.refetch(), before.refetch()])} />
      ) : !after.config || (from !== undefined && !before.config) ? (
        <Skeleton height={160} radius="md" />
      ) : (
        <Stack gap="md">
          {before.config && from !== to && <Changes before={before.config} after={after.config} />}
          <div>
            <Text size="sm" fw={500} mb={4}>
              {definition && to !== "code" ? "All options, with those of the code" : "All options"}
            </Text>
            <Json value={after.config} label="options" />
          </div>
        </Stack>
      )}
    </Stack>
  );
}

function Changes({ before, after }: { readonly before: Config; readonly after: Config }): ReactNode {
  const changes = changesBetween(before, after);
  if (changes.length === 0)
    return (
      <Alert color="gray" title="No differences">
        Both have the same options.
      </Alert>
    );
  return changes.map(({ option, before: old, after: now }) => (
    <div key={option}>
      <Text size="sm" fw={500} mb={4}>
        {option}
      </Text>
      <TextDiff before={old} after={now} label={`Changes of ${option}`} />
    </div>
  ));
}

/** The options that runs of a side use. */
function useSide({ id, definition }: Shown, side: Side | undefined) {
  const isVersion = typeof side === "number";
  const { data, error, refetch } = useQuery({ ...versionQuery(id, isVersion ? side : 0), enabled: isVersion });
  const code = definition?.config;
  const config = isVersion ? data && effective(code, data.config) : side === "code" ? code : undefined;
  return { config, error: isVersion ? error : null, refetch };
}
