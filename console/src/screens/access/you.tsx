import { Badge, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Facts } from "../../components/facts.tsx";
import type { Me } from "../../session/me.ts";
import classes from "./access.module.css";
import { Routes } from "./routes.tsx";

const kinds: Readonly<Record<Me["kind"], readonly [name: string, meaning: string]>> = {
  open: ["Anyone", "The server is open: it requires no credential, and every caller may do everything."],
  operator: ["Operator", "The credential is the security key of the server, which may do everything."],
  outsider: ["No credential", "The route of this request requires no credential."],
  user: ["User", "The credential is a JSON Web Token that the server has verified."],
  "service-account": ["Service account", "The credential is the token of a service account."],
  scheduler: ["Scheduler", "The server itself calls, for a schedule."],
};

/** The caller with its scopes, and what each of them opens. */
export function You({ me }: { readonly me: Me }): ReactNode {
  const [name, meaning] = kinds[me.kind];
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Caller", name],
    ["User id", me.user_id ?? "none"],
    ["Admin", me.is_admin ? "yes" : "no"],
    ["Data", me.sees_only_own ? "its own sessions and runs" : "of all users"],
    ...(me.session_id === null ? [] : [["Session", me.session_id] as const]),
    ["Routes", String(me.permissions.length)],
  ];
  return (
    <Stack gap="lg">
      <Paper withBorder p="md">
        <Facts facts={facts} />
        <Text size="sm" c="dimmed" mt="sm">
          {meaning}
        </Text>
      </Paper>
      <Stack gap="xs" component="section" aria-labelledby="scopes">
        <Title order={2} size="h4" id="scopes">
          Scopes
        </Title>
        <Scopes scopes={me.scopes} none={me.is_admin ? "None are needed." : "The credential has no scopes."} />
      </Stack>
      <Stack gap="xs" component="section" aria-labelledby="opens">
        <Title order={2} size="h4" id="opens">
          {me.is_admin ? "Routes and the scopes that they require" : "What they open"}
        </Title>
        <Routes permissions={me.permissions} />
      </Stack>
    </Stack>
  );
}

/** Scopes as badges. */
export function Scopes({ scopes, none }: { readonly scopes: readonly string[]; readonly none: string }): ReactNode {
  if (scopes.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    );
  return (
    <Group gap={6}>
      {scopes.map((scope) => (
        <Badge key={scope} variant="default" radius="sm" tt="none" fw={500} ff="monospace" className={classes.scope}>
          {scope}
        </Badge>
      ))}
    </Group>
  );
}
