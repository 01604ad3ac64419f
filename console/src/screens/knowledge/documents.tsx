/** The documents of a knowledge base, and those that are being sent. */
import { Stack, Text } from "@mantine/core";
import { IconFileText } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { serverUrl } from "../../api/places.ts";
import classes from "../../components/components.module.css";
import type { Column } from "../../components/data-table.tsx";
import { DeleteButton } from "../../components/delete-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterSelect } from "../../components/filter-select.tsx";
import { Filters } from "../../components/filters.tsx";
import { List, NoMatch, numberedPages } from "../../components/list.tsx";
import { Size, Time } from "../../components/values.tsx";
import { filtersOf, isFiltered } from "../../routing/filters.ts";
import { meQuery, useMay } from "../../session/me.ts";
import { Ingestion } from "./ingestion.tsx";
import { type Document, documentsQuery, useDeleteDocuments } from "./queries.ts";
import { type BaseSearch, documentOrders, documentStatuses } from "./search.ts";
import { Uploads } from "./sending.tsx";

interface DocumentsProps {
  readonly base: string;
  readonly search: BaseSearch;
  readonly onSearch: (next: (before: BaseSearch) => BaseSearch, options: { readonly replace: boolean }) => void;
  /** The button that adds documents. */
  readonly add: ReactNode;
}

export function Documents({ base, search, onSearch, add }: DocumentsProps): ReactNode {
  const may = useMay();
  const { data: me } = useQuery(meQuery);
  const request = useQuery(documentsQuery(base, search));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const deletion = useDeleteDocuments(base);
  const { filter, bind, toPage, removeAll } = filtersOf(search, (next, options) => {
    if (options.replace) setSelected(new Set());
    onSearch(next, options);
  });
  const columns = useMemo(() => columnsFor(base), [base]);
  const rows = request.data?.data;
  // Other callers may not delete the shared documents among theirs, which the page of each document shows.
  const maySelect = may("DELETE /knowledge/content/{content_id}") && me?.sees_only_own !== true;
  const chosen = rows?.filter(({ id }) => selected.has(id)) ?? [];
  const remove = (): void =>
    deletion.mutate(
      chosen.map(({ id }) => id),
      { onSuccess: () => setSelected(new Set()) },
    );
  return (
    <Stack gap="lg">
      <Uploads base={base} />
      <Filters>
        <FilterSelect label="State" placeholder="All states" choices={statusChoices} {...bind("status")} />
        {chosen.length > 0 && (
          <DeleteButton
            title={chosen.length === 1 ? "Delete this document?" : `Delete ${chosen.length} documents?`}
            message={`Searches no longer find ${chosen.length === 1 ? "it" : "them"}. Earlier answers keep what they cite.`}
            onDelete={remove}
            isPending={deletion.isPending}
          >
            Delete {chosen.length} selected
          </DeleteButton>
        )}
      </Filters>
      <List
        request={request}
        label="Documents"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        {...(maySelect && { selection: { selected, onChange: setSelected, nameOf } })}
        sort={{
          current: { key: search.sort ?? "updated_at", descending: search.order !== "asc" },
          onChange: ({ key, descending }) =>
            filter({ sort: documentOrders.find((one) => one === key), order: descending ? undefined : "asc" }),
        }}
        paging={numberedPages(request.data, toPage)}
        empty={
          isFiltered(search, ["status"]) ? (
            <NoMatch icon={IconFileText} title="No document is in this state" onReset={removeAll}>
              Other documents may be in other states.
            </NoMatch>
          ) : (
            <Empty icon={IconFileText} title="No documents yet" command={exampleOf(base)} action={add}>
              Add files, texts or addresses. Agents with this knowledge base search them and cite them in their answers.
            </Empty>
          )
        }
      />
    </Stack>
  );
}

const statusChoices = documentStatuses.map((value) => ({ value, label: value }));

function exampleOf(base: string): string {
  return `curl '${serverUrl}/knowledge/content?knowledge_id=${encodeURIComponent(base)}' -F file=@manual.md`;
}

export function nameOf({ name, id }: Document): string {
  return name ?? id;
}

function columnsFor(base: string): readonly Column<Document>[] {
  return [
    {
      id: "name",
      header: "Document",
      sortKey: "name",
      cell: (document) => (
        <Stack gap={4} maw={{ base: 220, sm: 420 }} align="flex-start">
          <Link
            to="/knowledge/$knowledgeId/$contentId"
            params={{ knowledgeId: base, contentId: document.id }}
            search={{}}
            className={classes.rowLink}
            style={{ overflowWrap: "anywhere" }}
          >
            {nameOf(document)}
          </Link>
          {document.description && (
            <Text size="xs" c="dimmed" lineClamp={2}>
              {document.description}
            </Text>
          )}
          <Text size="xs" c="dimmed" hiddenFrom="sm">
            {document.user_id ?? "all users"}
          </Text>
        </Stack>
      ),
    },
    {
      id: "status",
      header: "State",
      sortKey: "status",
      cell: (document) => <Ingestion base={base} document={document} />,
    },
    {
      id: "chunks",
      header: "Chunks",
      align: "right",
      from: "sm",
      cell: ({ chunks }) => (chunks ?? 0).toLocaleString("en"),
    },
    {
      id: "size",
      header: "Size",
      sortKey: "size",
      align: "right",
      from: "md",
      cell: ({ size }) => <Size bytes={sizeOf(size)} />,
    },
    {
      id: "user",
      header: "Visible to",
      from: "sm",
      cell: ({ user_id: user }) => user ?? <Text c="dimmed">all users</Text>,
    },
    {
      id: "updated",
      header: "Last change",
      sortKey: "updated_at",
      from: "sm",
      cell: ({ updated_at: time }) => time && <Time value={time} />,
    },
  ];
}

/** The interface sends sizes as text. */
export function sizeOf(size: string | null | undefined): number | undefined {
  return size === null || size === undefined ? undefined : Number(size);
}
