import { Badge, Button, Code, Group, Stack, Switch, Text } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { serverUrl } from "../../api/places.ts";
import { askToConfirm } from "../../components/confirm.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { List, numberedPages } from "../../components/list.tsx";
import { Time } from "../../components/values.tsx";
import { type Me, useMay } from "../../session/me.ts";
import { CreateAccount } from "./create.tsx";
import { type Account, accountsQuery, useRevokeAccount } from "./queries.ts";
import type { AccessSearch } from "./search.ts";
import { Scopes } from "./you.tsx";

interface AccountsProps {
  readonly me: Me;
  readonly search: AccessSearch;
  readonly onSearch: (search: AccessSearch) => void;
}

export function Accounts({ me, search, onSearch }: AccountsProps): ReactNode {
  const may = useMay();
  const request = useQuery(accountsQuery(search));
  const [isCreating, setCreating] = useState(false);
  const { mutate: revoke } = useRevokeAccount();
  const mayRevoke = may("DELETE /service-accounts/{service_account_id}");
  // An account acts for its creator, so callers without a credential cannot create one.
  const mayCreate = may("POST /service-accounts") && me.kind !== "open" && me.kind !== "outsider";
  const columns = useMemo(
    () =>
      columnsFor(
        mayRevoke &&
          ((account) =>
            askToConfirm({
              title: "Revoke this service account?",
              message: `Programs with the token of "${account.name}" are rejected: at once by this process, within 30 seconds by all others. Its schedules stop.`,
              confirm: "Revoke",
              onConfirm: () => revoke(account),
            })),
      ),
    [mayRevoke, revoke],
  );
  const create = mayCreate && (
    <Button leftSection={<IconPlus size={14} aria-hidden />} onClick={() => setCreating(true)}>
      Create a service account
    </Button>
  );
  const { sort = "created_at", order } = search;
  return (
    <Stack>
      <Group justify="space-between">
        <Switch
          label="Show revoked accounts"
          checked={search.show === "all"}
          onChange={(event) =>
            onSearch({ ...search, page: undefined, show: event.currentTarget.checked ? "all" : undefined })
          }
        />
        {request.data && request.data.data.length > 0 && create}
      </Group>
      {me.kind === "open" && (
        <Text size="sm" c="dimmed">
          This server is open: it accepts every request. Service accounts need authorization or a security key.
        </Text>
      )}
      <List
        request={request}
        label="Service accounts"
        columns={columns}
        rows={request.data?.data}
        rowKey={({ id }) => id}
        sort={{
          current: { key: sort, descending: order !== "asc" },
          onChange: ({ key, descending }) =>
            onSearch({
              ...search,
              page: undefined,
              sort: key as AccessSearch["sort"],
              order: descending ? undefined : "asc",
            }),
        }}
        paging={numberedPages(request.data, (page) => onSearch({ ...search, page }))}
        empty={
          <Empty
            icon={IconKey}
            title="No service accounts"
            command={`curl ${serverUrl}/service-accounts -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"name": "ci"}'`}
            action={create}
          >
            A service account lets a program call the server with its own token and scopes.
          </Empty>
        }
      />
      {isCreating && <CreateAccount me={me} onClose={() => setCreating(false)} />}
    </Stack>
  );
}

function columnsFor(onRevoke: false | ((account: Account) => void)): readonly Column<Account>[] {
  return [
    {
      id: "name",
      header: "Name",
      sortKey: "name",
      cell: ({ name, token_prefix: prefix }) => (
        <Stack gap={2} align="flex-start">
          <Text size="sm" fw={500}>
            {name}
          </Text>
          <Code fz="xs">{prefix}…</Code>
        </Stack>
      ),
    },
    { id: "state", header: "State", cell: (account) => <State account={account} /> },
    {
      id: "scopes",
      header: "Scopes",
      from: "md",
      cell: ({ scopes = [] }) => (
        <Group gap={4} maw={360}>
          <Scopes scopes={scopes.slice(0, 5).map(({ raw }) => raw)} none="none" />
          {scopes.length > 5 && (
            <Text size="xs" c="dimmed" title={scopes.map(({ raw }) => raw).join(", ")}>
              and {scopes.length - 5} more
            </Text>
          )}
        </Group>
      ),
    },
    { id: "creator", header: "Created by", from: "lg", cell: ({ created_by: creator }) => creator ?? "–" },
    {
      id: "used",
      header: "Last used",
      from: "sm",
      sortKey: "last_used_at",
      cell: ({ last_used_at: used }) => (used ? <Time value={used} /> : "never"),
    },
    {
      id: "expires",
      header: "Expires",
      from: "sm",
      sortKey: "expires_at",
      cell: ({ expires_at: expires }) => (expires ? <Time value={expires} /> : "never"),
    },
    ...(onRevoke
      ? [
          {
            id: "actions",
            header: "Actions",
            isHeaderHidden: true,
            align: "right" as const,
            cell: (account: Account) =>
              !account.revoked_at && (
                <Button
                  size="compact-xs"
                  variant="light"
                  color="red"
                  onClick={() => onRevoke(account)}
                  aria-label={`Revoke ${account.name}`}
                >
                  Revoke
                </Button>
              ),
          },
        ]
      : []),
  ];
}

function State({ account }: { readonly account: Account }): ReactNode {
  const hasExpired =
    account.expires_at !== null && account.expires_at !== undefined && account.expires_at * 1000 < Date.now();
  const [label, color] = account.revoked_at
    ? ["Revoked", "gray"]
    : hasExpired
      ? ["Expired", "gray"]
      : ["Active", "green"];
  return (
    <Badge variant="light" color={color} radius="sm" tt="none" miw="max-content">
      {label}
    </Badge>
  );
}
