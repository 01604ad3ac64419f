/** Accounts of the caller at other services, which tools of its runs use. */
import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconExternalLink, IconPlugConnected } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { askToConfirm } from "../../components/confirm.tsx";
import { Command } from "../../components/copy.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterInput } from "../../components/filter-input.tsx";
import { Filters } from "../../components/filters.tsx";
import { List } from "../../components/list.tsx";
import { StatusBadge, Time } from "../../components/values.tsx";
import type { Me } from "../../session/me.ts";
import { type Connection, connectionsQuery, useConnect, useDisconnect } from "./queries.ts";
import { Scopes } from "./you.tsx";

interface ConnectionsProps {
  readonly me: Me;
  /** The user whose accounts are shown, for callers without a user of their own. */
  readonly user: string | undefined;
  readonly onUser: (user: string | undefined) => void;
}

export function Connections({ me, user, onUser }: ConnectionsProps): ReactNode {
  const isOwn = me.user_id !== null;
  const named = isOwn ? undefined : user;
  // Without authorization, runs without a user share the accounts of one user. The other callers name a user.
  const needsUser = !isOwn && me.kind !== "open" && user === undefined;
  const request = useQuery({ ...connectionsQuery(named), enabled: !needsUser });
  const connect = useConnect(named);
  const { mutate: disconnect } = useDisconnect(named);
  const columns = useMemo(
    () =>
      columnsFor({
        onConnect: connect.mutate,
        onRevoke: (connection) =>
          askToConfirm({
            title: `Disconnect ${connection.title}?`,
            message: `The account is removed, and its token is revoked at ${connection.title}. Runs that need it ask for it again.`,
            confirm: "Disconnect",
            onConfirm: () => disconnect(connection),
          }),
      }),
    [connect.mutate, disconnect],
  );
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {isOwn
          ? "Tools of your runs can use these accounts. The server keeps their tokens encrypted, and gives them to the tools only."
          : "Tools of a user's runs can use these accounts. Your credential names no user, so choose one."}
      </Text>
      {!isOwn && (
        <Filters>
          <FilterInput
            label="User"
            placeholder={me.kind === "open" ? "Runs without a user" : "Id"}
            value={user}
            onChange={onUser}
          />
        </Filters>
      )}
      {!needsUser && (
        <List
          request={request}
          label="Connected accounts"
          columns={columns}
          rows={request.data}
          rowKey={({ provider }) => provider}
          empty={
            <Empty icon={IconPlugConnected} title="This platform uses no accounts" command={example}>
              A tool can use its user's account at another service. The platform defines the services in its code.
            </Empty>
          }
        />
      )}
      {connect.data && <LinkDialog {...connect.data} onClose={connect.reset} />}
    </Stack>
  );
}

const example = `definePlatform({
  connections: {
    url: "https://agents.example",
    providers: { github: { title: "GitHub", authorizationUrl: "…", tokenUrl: "…", clientId: "…" } },
  },
})`;

interface LinkDialogProps {
  readonly title: string;
  readonly url: string;
  readonly onClose: () => void;
}

/** The link to a page of the server that begins the sign-in at the provider. */
function LinkDialog({ title, url, onClose }: LinkDialogProps): ReactNode {
  return (
    <Modal opened onClose={onClose} title={`Connect ${title}`} centered size="lg">
      <Stack>
        <Text size="sm">The user opens this link, and signs in at {title}. It is valid once, for ten minutes.</Text>
        <Command value={url} />
        <Alert color="gray" title="The link belongs to one user">
          Whoever signs in with it gives that user's runs access to the account.
        </Alert>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button
            component="a"
            href={url}
            target="_blank"
            rel="noreferrer"
            data-autofocus
            leftSection={<IconExternalLink size={14} aria-hidden />}
            onClick={onClose}
          >
            Open the link
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface Abilities {
  readonly onConnect: (connection: Connection) => void;
  readonly onRevoke: (connection: Connection) => void;
}

function columnsFor({ onConnect, onRevoke }: Abilities): readonly Column<Connection>[] {
  return [
    {
      id: "service",
      header: "Service",
      cell: ({ title, provider }) => (
        <Stack gap={0}>
          <Text size="sm" fw={500}>
            {title}
          </Text>
          <Text size="xs" c="dimmed" ff="monospace">
            {provider}
          </Text>
        </Stack>
      ),
    },
    {
      id: "state",
      header: "State",
      cell: ({ connected }) => <StatusBadge status={connected ? "connected" : "not_connected"} />,
    },
    {
      id: "scopes",
      header: "Scopes",
      from: "md",
      cell: ({ connected, scopes }) => (connected ? <Scopes scopes={scopes} none="none" /> : <Text c="dimmed">–</Text>),
    },
    {
      id: "since",
      header: "Since",
      from: "sm",
      cell: ({ connected_at: since }) => (since === null ? <Text c="dimmed">–</Text> : <Time value={since} />),
    },
    {
      id: "actions",
      header: "Actions",
      isHeaderHidden: true,
      align: "right",
      cell: (connection) =>
        connection.connected ? (
          <Button
            size="compact-xs"
            variant="light"
            color="red"
            onClick={() => onRevoke(connection)}
            aria-label={`Disconnect ${connection.title}`}
          >
            Disconnect
          </Button>
        ) : (
          <Button
            size="compact-xs"
            variant="light"
            onClick={() => onConnect(connection)}
            aria-label={`Connect ${connection.title}`}
          >
            Connect
          </Button>
        ),
    },
  ];
}
