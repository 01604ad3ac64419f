/** Searches in a knowledge base, as agents make them, with the scores and ranks of what they find. */
import { Button, Group, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { IconSearch, IconZoomQuestion } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useEffect, useMemo, useState } from "react";
import classes from "../../components/components.module.css";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { objectIn } from "../../components/json-object-input.tsx";
import { List, NoMatch } from "../../components/list.tsx";
import { formatDuration } from "../../components/values.tsx";
import { type Found, foundQuery } from "./queries.ts";
import type { BaseSearch, SearchMode } from "./search.ts";

interface PlaygroundProps {
  readonly base: string;
  readonly search: BaseSearch;
  readonly onSearch: (change: Partial<BaseSearch>) => void;
}

const modes = [
  { value: "hybrid", label: "Hybrid" },
  { value: "lexical", label: "Lexical" },
  { value: "vector", label: "Vector" },
] as const satisfies readonly { readonly value: SearchMode; readonly label: string }[];

const explanations: Readonly<Record<SearchMode, string>> = {
  hybrid: "Joins the lexical and the vector list by the ranks in both.",
  lexical: "Compares words.",
  vector: "Compares embeddings.",
};

export function Playground({ base, search, onSearch }: PlaygroundProps): ReactNode {
  const { q = "", mode = "hybrid", filters = "" } = search;
  const [text, setText] = useState(q);
  const [filterText, setFilterText] = useState(filters);
  // Another part of the page may change them, such as the browser's back button.
  useEffect(() => setText(q), [q]);
  useEffect(() => setFilterText(filters), [filters]);
  const areValid = filterText.trim() === "" || objectIn(filterText) !== undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (areValid) onSearch({ q: text.trim() || undefined, filters: filterText.trim() || undefined });
  };
  return (
    <Stack gap="lg">
      <form onSubmit={submit} aria-label="Search">
        <Stack>
          <Group align="flex-end">
            <TextInput
              label="Question"
              placeholder="How do I resume a run?"
              leftSection={<IconSearch size={14} aria-hidden />}
              flex="1 1 260px"
              maxLength={10_000}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <TextInput
              label="Filters"
              placeholder='{"year": {"gte": 2024}}'
              flex="1 1 200px"
              error={areValid ? undefined : "This is not a JSON object"}
              value={filterText}
              onChange={(event) => setFilterText(event.currentTarget.value)}
            />
            <Button type="submit" disabled={text.trim() === "" || !areValid}>
              Search
            </Button>
          </Group>
          <Group gap="sm">
            <SegmentedControl
              size="xs"
              aria-label="Mode"
              data={[...modes]}
              value={mode}
              onChange={(next) =>
                onSearch({ mode: modes.find(({ value }) => value === next && value !== "hybrid")?.value })
              }
            />
            <Text size="xs" c="dimmed">
              {explanations[mode]}
            </Text>
          </Group>
        </Stack>
      </form>
      {q === "" ? (
        <Empty icon={IconZoomQuestion} title="Ask what an agent would ask">
          The search shows which chunks of which documents an agent gets, with their scores.
        </Empty>
      ) : (
        <Results
          base={base}
          text={q}
          mode={mode}
          filters={objectIn(filters)}
          onReset={() => onSearch({ filters: undefined })}
        />
      )}
    </Stack>
  );
}

interface ResultsProps {
  readonly base: string;
  readonly text: string;
  readonly mode: SearchMode;
  readonly filters: Readonly<Record<string, unknown>> | undefined;
  readonly onReset: () => void;
}

function Results({ base, text, mode, filters, onReset }: ResultsProps): ReactNode {
  const request = useQuery(foundQuery(base, { text, mode, filters }));
  const columns = useMemo(() => columnsFor(base, mode), [base, mode]);
  const { data } = request;
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed" role="status">
        {data &&
          `${data.data.length} ${data.data.length === 1 ? "chunk" : "chunks"} in ${formatDuration(data.meta.search_time_ms)}`}
      </Text>
      <List
        request={request}
        label="Found chunks"
        columns={columns}
        rows={data?.data}
        rowKey={({ id }) => id}
        empty={
          filters === undefined ? (
            <Empty icon={IconZoomQuestion} title="No chunk matches">
              Try other words, or another mode. Only complete documents are found.
            </Empty>
          ) : (
            <NoMatch icon={IconZoomQuestion} title="No chunk matches the filters" onReset={onReset}>
              Filters compare the metadata of documents.
            </NoMatch>
          )
        }
      />
    </Stack>
  );
}

/** Where a search found a chunk. */
interface FoundPlace {
  readonly chunk?: number;
  readonly page?: number | null;
  readonly headings?: readonly string[];
  readonly score?: number;
  readonly lexical_rank?: number;
  readonly vector_rank?: number;
}

function placeOf({ meta_data: place }: Found): FoundPlace {
  return (place ?? {}) as FoundPlace;
}

function columnsFor(base: string, mode: SearchMode): readonly Column<Found>[] {
  const rank = (id: "lexical_rank" | "vector_rank", header: string): Column<Found> => ({
    ...{ id, header, align: "right", from: "sm" },
    cell: (found) => placeOf(found)[id] ?? <Text c="dimmed">–</Text>,
  });
  return [
    {
      id: "chunk",
      header: "Chunk",
      cell: (found) => {
        const { chunk, page, headings = [] } = placeOf(found);
        const part = [...(typeof page === "number" ? [`page ${page}`] : []), ...headings];
        return (
          <Stack gap={2} maw={{ base: 240, sm: 640 }}>
            <Link
              to="/knowledge/$knowledgeId/$contentId"
              params={{ knowledgeId: base, contentId: found.content_id ?? "" }}
              search={chunk === undefined ? {} : { chunk }}
              className={classes.rowLink}
              style={{ overflowWrap: "anywhere" }}
            >
              {found.name ?? found.content_origin ?? found.content_id}
            </Link>
            <Text size="xs" c="dimmed">
              {[`chunk ${chunk ?? "?"}`, ...part].join(" › ")}
            </Text>
            <Text size="sm" lineClamp={3}>
              {found.content}
            </Text>
          </Stack>
        );
      },
    },
    { id: "score", header: "Score", align: "right", cell: (found) => placeOf(found).score?.toFixed(3) ?? "–" },
    ...(mode === "vector" ? [] : [rank("lexical_rank", "Lexical rank")]),
    ...(mode === "lexical" ? [] : [rank("vector_rank", "Vector rank")]),
  ];
}
