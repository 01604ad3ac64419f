/** The versions of a component, with what a caller can do with each. */
import { ActionIcon, Badge, Button, Group, Menu, Stack, Text } from "@mantine/core";
import {
  IconArrowsDiff,
  IconDots,
  IconDownload,
  IconPencil,
  IconRocket,
  IconTrash,
  IconVersions,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { askToConfirm } from "../../components/confirm.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { nextPages } from "../../components/list.tsx";
import { Time } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import {
  publish,
  type Shown,
  setCurrent,
  useComponentChange,
  useExport,
  useRemoveVersion,
  type Version,
} from "./queries.ts";
import type { ComponentSearch } from "./search.ts";

interface VersionsProps {
  readonly shown: Shown;
  readonly list: Parameters<typeof nextPages>[0];
  readonly onShow: (change: ComponentSearch) => void;
}

export function Versions({ shown, list, onShow }: VersionsProps): ReactNode {
  const { id, kind, name, versions, stored, definition } = shown;
  const may = useMay();
  const { mutate: onPublish } = useComponentChange(publish);
  const { mutate: onUse } = useComponentChange(setCurrent);
  const { mutate: onRemove } = useRemoveVersion();
  const mayChange = may("PATCH /components/{component_id}/configs/{version}", id);
  const mayUse = may("POST /components/{component_id}/configs/{version}/set-current", id);
  const mayRemove = may("DELETE /components/{component_id}/configs/{version}", id);
  const { mutate: onExport } = useExport();
  const mayExport = may("GET /components/{component_id}/export", id);
  const mayTry = may(`POST /${kind}s/{${kind}_id}/runs`, id);
  const current = stored?.current_version ?? undefined;
  const other = current ?? (definition ? "code" : undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: onShow only navigates.
  const columns = useMemo((): readonly Column<Version>[] => {
    const askToPublish = (version: Version): void =>
      askToConfirm({
        title: `Publish version ${version.version}?`,
        message: `New runs of ${name} use it at once. A published version never changes. Runs that have begun keep theirs.`,
        confirm: "Publish",
        onConfirm: () => onPublish(version),
      });
    const askToUse = (version: Version): void =>
      askToConfirm({
        title: `Use version ${version.version}?`,
        message: `New runs of ${name} use it at once. Runs that have begun keep theirs.`,
        confirm: `Use version ${version.version}`,
        onConfirm: () => onUse(version),
      });
    const askToRemove = (version: Version): void =>
      askToConfirm({
        title: `Delete version ${version.version}?`,
        message: "Its number is never used again. Runs that began with it keep it.",
        confirm: "Delete",
        onConfirm: () => {
          onShow({ from: undefined, to: undefined });
          onRemove(version);
        },
      });
    const label = { id: "version", header: "Version" };
    return [
      { ...label, cell: (version) => <Name version={version} isCurrent={version.version === current} /> },
      {
        id: "notes",
        header: "Notes",
        from: "md",
        cell: ({ notes }) => (
          <Text size="sm" maw={320} lineClamp={2}>
            {notes || "–"}
          </Text>
        ),
      },
      {
        id: "saved",
        header: "Last change",
        from: "sm",
        cell: ({ created_at: created, updated_at: updated, created_by: by }) => (
          <Group gap={6} wrap="nowrap">
            <Time value={updated ?? created} />
            {by && (
              <Text span size="xs" c="dimmed" truncate maw={140}>
                {by}
              </Text>
            )}
          </Group>
        ),
      },
      {
        id: "actions",
        header: "Actions",
        isHeaderHidden: true,
        align: "right",
        cell: (version) => {
          const { version: number, stage } = version;
          const isDraft = stage === "draft";
          const isCurrent = number === current;
          return (
            <Group gap={6} justify="flex-end" wrap="nowrap">
              {mayTry && !isCurrent && (!isDraft || mayChange) && (
                <Button
                  component={Link}
                  {...({ to: "/chat/$kind/$id", params: { kind, id }, search: { version: number } } as object)}
                  size="compact-sm"
                  variant="default"
                  aria-label={`Try version ${number}`}
                >
                  Try
                </Button>
              )}
              {isDraft && mayChange && (
                <Button
                  size="compact-sm"
                  aria-label={`Publish version ${number}`}
                  onClick={() => askToPublish(version)}
                >
                  Publish
                </Button>
              )}
              <Menu position="bottom-end" withinPortal>
                <Menu.Target>
                  <ActionIcon variant="subtle" color="gray" aria-label={`Actions for version ${number}`}>
                    <IconDots size={16} aria-hidden />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item
                    leftSection={<IconArrowsDiff size={14} aria-hidden />}
                    onClick={() => onShow({ from: isCurrent ? sideBefore(version, shown) : other, to: number })}
                  >
                    Compare
                  </Menu.Item>
                  {mayChange && (
                    <Menu.Item
                      leftSection={<IconPencil size={14} aria-hidden />}
                      onClick={() => onShow({ edit: number })}
                    >
                      {isDraft ? "Change" : "New version from it"}
                    </Menu.Item>
                  )}
                  {!isDraft && !isCurrent && mayUse && (
                    <Menu.Item leftSection={<IconRocket size={14} aria-hidden />} onClick={() => askToUse(version)}>
                      Use for new runs
                    </Menu.Item>
                  )}
                  {mayExport && (
                    <Menu.Item
                      leftSection={<IconDownload size={14} aria-hidden />}
                      onClick={() => onExport({ id, version: number })}
                    >
                      Export
                    </Menu.Item>
                  )}
                  {!isCurrent && mayRemove && (
                    <Menu.Item
                      color="red"
                      leftSection={<IconTrash size={14} aria-hidden />}
                      onClick={() => askToRemove(version)}
                    >
                      Delete
                    </Menu.Item>
                  )}
                </Menu.Dropdown>
              </Menu>
            </Group>
          );
        },
      },
    ];
  }, [shown, current, other, mayChange, mayUse, mayRemove, mayExport, mayTry, onPublish, onUse, onRemove, onExport]);
  return (
    <DataTable
      label="Versions"
      columns={columns}
      rows={versions}
      rowKey={({ version }) => String(version)}
      paging={nextPages(list)}
      empty={
        <Empty icon={IconVersions} title="No versions yet">
          {definition
            ? "New runs use the definition in code. A version replaces some of its options."
            : "Runs can use the component after its first version is published."}
        </Empty>
      }
    />
  );
}

/** What the current version is compared with: the version before it, or the code. */
function sideBefore({ version }: Version, { versions, definition }: Shown) {
  return versions.find((one) => one.version < version)?.version ?? (definition ? ("code" as const) : undefined);
}

function Name({ version, isCurrent }: { readonly version: Version; readonly isCurrent: boolean }): ReactNode {
  const { version: number, stage, label } = version;
  return (
    <Stack gap={2}>
      <Group gap={6}>
        <Text size="sm" fw={500}>
          {number}
        </Text>
        <Badge
          variant="light"
          color={isCurrent ? "green" : stage === "draft" ? "yellow" : "gray"}
          radius="sm"
          tt="none"
          size="sm"
          miw="max-content"
        >
          {isCurrent ? "in use" : stage}
        </Badge>
      </Group>
      {label && (
        <Text size="xs" c="dimmed" maw={200} truncate>
          {label}
        </Text>
      )}
    </Stack>
  );
}
