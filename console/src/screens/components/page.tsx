/** The agents, teams and workflows of the platform: those that code defines, and those with versions. */
import { Badge, Button, Stack, Text } from "@mantine/core";
import { IconPlus, IconVersions } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import type { ComponentKind } from "../../api/component-kinds.ts";
import { serverUrl } from "../../api/places.ts";
import classes from "../../components/components.module.css";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterInput } from "../../components/filter-input.tsx";
import { KindFilter } from "../../components/filter-select.tsx";
import { Filters } from "../../components/filters.tsx";
import { List, NoMatch } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { Time } from "../../components/values.tsx";
import { filtersOf, isFiltered } from "../../routing/filters.ts";
import { useMay } from "../../session/me.ts";
import { CreateComponent } from "./create.tsx";
import { ImportButton } from "./import.tsx";
import { type Definition, definitionsQuery, type Stored, storedQuery } from "./queries.ts";

export const Route = createLazyRoute("/components")({ component: Components });

interface Row {
  readonly kind: ComponentKind;
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly isInCode: boolean;
  readonly stored: Stored | undefined;
}

function Components(): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const may = useMay();
  const definitions = useQuery(definitionsQuery);
  const stored = useQuery(storedQuery);
  const rows = useMemo(
    () => definitions.data && stored.data && rowsOf(definitions.data.components, stored.data),
    [definitions.data, stored.data],
  );
  const { bind, removeAll } = filtersOf(search, (next, { replace }) => void navigate({ search: next, replace }));
  const text = search.text?.toLowerCase();
  const shown = rows?.filter(
    ({ kind, id, name }) =>
      (search.kind === undefined || kind === search.kind) &&
      (text === undefined || `${name}\n${id}`.toLowerCase().includes(text)),
  );
  const show = (dialog: "create" | undefined): void =>
    void navigate({ search: (before) => ({ ...before, dialog }), replace: dialog === undefined });
  const create = may("POST /components") && (
    <Button leftSection={<IconPlus size={14} aria-hidden />} onClick={() => show("create")}>
      New component
    </Button>
  );
  return (
    <Page
      title="Components"
      description="Agents, teams and workflows, and the versions of their options."
      actions={
        <>
          {may("POST /components/import") && <ImportButton />}
          {create}
        </>
      }
    >
      <Filters>
        <FilterInput label="Search" placeholder="Name or id" {...bind("text")} />
        <KindFilter {...bind("kind")} />
      </Filters>
      <List
        request={{
          error: definitions.error ?? stored.error,
          refetch: () => Promise.all([definitions.refetch(), stored.refetch()]),
        }}
        label="Components"
        columns={columns}
        rows={shown}
        rowKey={({ kind, id }) => `${kind}/${id}`}
        empty={
          isFiltered(search, ["kind", "text"]) ? (
            <NoMatch icon={IconVersions} title="No component matches the filters" onReset={removeAll}>
              The search compares a part of the name or the id.
            </NoMatch>
          ) : (
            <Empty icon={IconVersions} title="No components yet" command={example} action={create}>
              Define them in code, or create one from the registered parts.
            </Empty>
          )
        }
      />
      {search.dialog === "create" && create && <CreateComponent onClose={() => show(undefined)} />}
    </Page>
  );
}

const example = `curl ${serverUrl}/components -H 'content-type: application/json' -d '{
  "name": "Support", "component_type": "agent", "config": {"instructions": "Answer in one sentence."}
}'`;

function rowsOf(definitions: readonly Definition[], stored: readonly Stored[]): readonly Row[] {
  const known = new Map(stored.map((one) => [keyOf(one), one]));
  const inCode = definitions.map((one): Row => {
    const own = known.get(keyOf(one));
    known.delete(keyOf(one));
    return toRow(one, own?.name ?? one.name, one.config.description, own, true);
  });
  return [...inCode, ...[...known.values()].map((one) => toRow(one, one.name, one.description, one, false))];
}

function keyOf({ component_type: kind, component_id: id }: Pick<Stored, "component_type" | "component_id">): string {
  return `${kind}/${id}`;
}

function toRow(
  { component_type: kind, component_id: id }: Pick<Stored, "component_type" | "component_id">,
  name: string | null | undefined,
  ofCode: unknown,
  stored: Stored | undefined,
  isInCode: boolean,
): Row {
  const description = stored?.description ?? (typeof ofCode === "string" ? ofCode : undefined);
  return { kind, id, name: name ?? id, description, isInCode, stored };
}

const columns: readonly Column<Row>[] = [
  {
    id: "name",
    header: "Name",
    cell: ({ kind, id, name, description }) => (
      <Stack gap={0} maw={{ base: 200, sm: 380 }}>
        <Link to="/components/$kind/$id" params={{ kind, id }} search={{}} className={classes.rowLink}>
          {name}
        </Link>
        {description && (
          <Text size="xs" c="dimmed" truncate>
            {description}
          </Text>
        )}
      </Stack>
    ),
  },
  { id: "kind", header: "Kind", from: "sm", cell: ({ kind }) => kind },
  {
    id: "defined",
    header: "Defined in",
    from: "sm",
    cell: ({ isInCode, stored }) => placeOf(isInCode, stored !== undefined),
  },
  {
    id: "current",
    header: "New runs use",
    cell: ({ isInCode, stored }) => <Current version={stored?.current_version} isInCode={isInCode} />,
  },
  {
    id: "updated",
    header: "Last change",
    from: "md",
    cell: ({ stored }) =>
      stored ? <Time value={stored.updated_at ?? stored.created_at} /> : <Text c="dimmed">–</Text>,
  },
];

/** Where a component is defined. */
export function placeOf(isInCode: boolean, hasVersions: boolean): string {
  return !hasVersions ? "code" : isInCode ? "code and versions" : "versions";
}

/** What new runs of a component use. */
export function Current({
  version,
  isInCode,
}: {
  readonly version: number | null | undefined;
  readonly isInCode: boolean;
}): ReactNode {
  if (typeof version === "number")
    return (
      <Badge variant="light" color="green" radius="sm" tt="none" miw="max-content">
        version {version}
      </Badge>
    );
  if (isInCode) return "the code";
  return (
    <Text c="dimmed" inherit>
      nothing yet
    </Text>
  );
}
