/** The remote sources of a knowledge base: their files, and the files that become documents. */
import { Breadcrumbs, Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconCloud, IconFolder } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useMemo, useState } from "react";
import classes from "../../components/components.module.css";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { List, numberedPages } from "../../components/list.tsx";
import { Size, Time } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import { filesQuery, type Source, type SourceFile, type SourceFolder, useAddFile } from "./queries.ts";
import type { BaseSearch } from "./search.ts";

interface SourcesProps {
  readonly base: string;
  /** At least one. */
  readonly sources: readonly Source[];
  readonly search: BaseSearch;
  readonly onSearch: (change: Partial<BaseSearch>) => void;
}

export function Sources({ base, sources, search, onSearch }: SourcesProps): ReactNode {
  const source = sources.find(({ id }) => id === search.source) ?? sources[0];
  if (!source) return null;
  const { metadata } = source;
  return (
    <Stack gap="lg">
      <Group align="flex-end">
        <Select
          label="Source"
          data={sources.map(({ id, name }) => ({ value: id, label: name }))}
          value={source.id}
          allowDeselect={false}
          onChange={(id) => onSearch({ source: id ?? undefined, prefix: undefined, page: undefined })}
        />
        <Text size="sm" c="dimmed" pb={8} style={{ overflowWrap: "anywhere" }}>
          {[source.type, ...Object.values(metadata ?? {}).map(String)].join(" · ")}
        </Text>
      </Group>
      <Files key={source.id} base={base} source={source} search={search} onSearch={onSearch} />
    </Stack>
  );
}

interface FilesProps extends Omit<SourcesProps, "sources"> {
  readonly source: Source;
}

function Files({ base, source, search, onSearch }: FilesProps): ReactNode {
  const root = source.prefix ?? "";
  const prefix = search.prefix ?? root;
  const request = useQuery(filesQuery(base, source.id, { prefix, page: search.page ?? 1 }));
  const addition = useAddFile(base);
  const mayAdd = useMay()("POST /knowledge/remote-content");
  const { mutate } = addition;
  const adding = addition.isPending ? addition.variables.path : undefined;
  const columns = useMemo(() => {
    const onAdd = (path: string): void => mutate({ source: source.id, path });
    return columnsFor(base, source.id, mayAdd ? { onAdd, adding } : undefined);
  }, [base, source.id, mayAdd, mutate, adding]);
  // Every page of a listing has all folders.
  const rows = request.data && [
    ...((search.page ?? 1) === 1 ? (request.data.folders ?? []) : []),
    ...(request.data.files ?? []),
  ];
  return (
    <Stack gap="lg">
      {mayAdd && <AddPath root={root} onAdd={(path) => mutate({ source: source.id, path })} />}
      <Breadcrumbs aria-label="Folder" separatorMargin="xs" style={{ flexWrap: "wrap" }}>
        {foldersOf(root, prefix).map(({ name, path }) => (
          <Link
            key={path}
            className={classes.colouredLink}
            to="/knowledge/$knowledgeId"
            params={{ knowledgeId: base }}
            search={folderSearch(source.id, path)}
          >
            {name}
          </Link>
        ))}
      </Breadcrumbs>
      <List<Row>
        request={request}
        label="Files"
        columns={columns}
        rows={rows}
        rowKey={(row) => ("key" in row ? row.key : row.prefix)}
        paging={numberedPages(request.data, (page) => onSearch({ page: page === 1 ? undefined : page }))}
        empty={
          <Empty icon={IconCloud} title="No files here">
            The source has no files in this folder.
          </Empty>
        }
      />
    </Stack>
  );
}

interface AddPathProps {
  readonly root: string;
  readonly onAdd: (path: string) => void;
}

/** Adds a file by its path: a listing ends after 10,000 files. */
function AddPath({ root, onAdd }: AddPathProps): ReactNode {
  const [path, setPath] = useState("");
  const given = path.trim();
  const isInside = given.startsWith(root);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (given === "" || !isInside) return;
    onAdd(given);
    setPath("");
  };
  return (
    <form onSubmit={submit} aria-label="Add a path">
      <Group align="flex-start">
        <TextInput
          label="Path"
          placeholder={`${root}handbook.pdf`}
          flex="1 1 260px"
          maw={480}
          maxLength={1_024}
          error={given === "" || isInside ? undefined : `The path must begin with ${root}`}
          value={path}
          onChange={(event) => setPath(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" mt={25} disabled={given === "" || !isInside}>
          Add path
        </Button>
      </Group>
    </form>
  );
}

type Row = SourceFile | SourceFolder;

interface Addition {
  readonly onAdd: (path: string) => void;
  /** The path that is being added. */
  readonly adding: string | undefined;
}

function columnsFor(base: string, source: string, addition: Addition | undefined): readonly Column<Row>[] {
  return [
    {
      id: "name",
      header: "File",
      cell: (row) =>
        "key" in row ? (
          <Text size="sm" style={{ overflowWrap: "anywhere" }} title={row.key}>
            {row.name}
          </Text>
        ) : (
          <Group gap={6} wrap="nowrap">
            <IconFolder size={16} aria-hidden />
            <Link
              className={classes.rowLink}
              to="/knowledge/$knowledgeId"
              params={{ knowledgeId: base }}
              search={folderSearch(source, row.prefix)}
              style={{ overflowWrap: "anywhere" }}
            >
              {row.name}/
            </Link>
          </Group>
        ),
    },
    {
      id: "size",
      header: "Size",
      align: "right",
      from: "sm",
      cell: (row) => "key" in row && <Size bytes={row.size ?? undefined} />,
    },
    {
      id: "modified",
      header: "Last change",
      from: "md",
      cell: (row) => "key" in row && row.last_modified && <Time value={row.last_modified} />,
    },
    ...(addition
      ? [
          {
            id: "add",
            header: "Actions",
            isHeaderHidden: true,
            align: "right",
            cell: (row: Row) =>
              "key" in row && (
                <Button
                  size="compact-xs"
                  variant="default"
                  loading={addition.adding === row.key}
                  onClick={() => addition.onAdd(row.key)}
                  aria-label={`Add ${row.name}`}
                >
                  Add
                </Button>
              ),
          } as const,
        ]
      : []),
  ];
}

function folderSearch(source: string, prefix: string): BaseSearch {
  return { tab: "sources", source, prefix };
}

/** The folders from the root of a source to a prefix. */
function foldersOf(root: string, prefix: string): readonly { readonly name: string; readonly path: string }[] {
  const folders = [{ name: root === "" ? "All files" : root, path: root }];
  for (let end = prefix.indexOf("/", root.length); end >= 0; end = prefix.indexOf("/", end + 1)) {
    const path = prefix.slice(0, end + 1);
    folders.push({ name: path.slice(folders.at(-1)?.path.length ?? 0, -1), path });
  }
  return folders;
}
