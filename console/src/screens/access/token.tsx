import { Alert, Button, Group, Paper, SimpleGrid, Stack, Text, Textarea, Title } from "@mantine/core";
import { IconAlertTriangle, IconInfoCircle, IconShieldCheck } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { Command } from "../../components/copy.tsx";
import { Facts } from "../../components/facts.tsx";
import { Json } from "../../components/json.tsx";
import { Time, useNow } from "../../components/values.tsx";
import { currentToken } from "../../session/credential.ts";
import type { Me } from "../../session/me.ts";
import classes from "./access.module.css";
import { type DecodedToken, explainToken } from "./decode.ts";
import { Routes } from "./routes.tsx";
import { opened, type Permission } from "./scopes.ts";
import { Scopes } from "./you.tsx";

/** Explains a token without sending it anywhere. */
export function TokenExplainer({ me }: { readonly me: Me }): ReactNode {
  const [text, setText] = useState("");
  const now = useNow();
  const own = currentToken();
  const explained = text.trim() === "" ? undefined : explainToken(text, now);
  const isOwn = own !== undefined && text.trim() === own;
  return (
    <Stack gap="lg">
      <Stack gap="xs">
        <Textarea
          label="Token"
          description="The token stays in this page: it is decoded here, sent to no server, and forgotten when you leave."
          placeholder="eyJhbGciOi…"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          className={classes.token}
          autosize
          minRows={3}
          maxRows={8}
          spellCheck={false}
          autoComplete="off"
        />
        <Group gap="xs">
          {own !== undefined && (
            <Button size="xs" variant="default" onClick={() => setText(own)}>
              Explain my own token
            </Button>
          )}
          {text !== "" && (
            <Button size="xs" variant="subtle" color="gray" onClick={() => setText("")}>
              Clear
            </Button>
          )}
        </Group>
      </Stack>
      <div aria-live="polite">
        {explained?.kind === "other" &&
          (isOwn ? (
            <Verified />
          ) : (
            <Alert color="yellow" title="This is not a JSON Web Token" icon={<IconAlertTriangle aria-hidden />}>
              {explained.reason} It may be a security key.
            </Alert>
          ))}
        {explained?.kind === "service-account" && (
          <Stack>
            {isOwn && <Verified />}
            <Alert title="It looks like the token of a service account" icon={<IconInfoCircle aria-hidden />}>
              The token contains no claims: only the database can verify it. The list of service accounts shows its
              first characters, its scopes, and when it was last used.
            </Alert>
            {isOwn && <Opens scopes={me.scopes} permissions={me.permissions} />}
          </Stack>
        )}
        {explained?.kind === "token" && (
          <Stack gap="lg">
            {isOwn ? <Verified /> : <Unverified faults={explained.token.faults} />}
            <TokenFacts token={explained.token} />
            <Opens
              scopes={isOwn ? me.scopes : (explained.token.scopes?.values ?? [])}
              permissions={isOwn ? me.permissions : opened(me.permissions, explained.token.scopes?.values ?? [])}
              note={isOwn ? undefined : "Only routes that you may use yourself are listed."}
            />
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              <Stack gap={4}>
                <Title order={3} size="h5">
                  Header
                </Title>
                <Json value={explained.token.header} label="header" />
              </Stack>
              <Stack gap={4}>
                <Title order={3} size="h5">
                  Claims
                </Title>
                <Json value={explained.token.claims} label="claims" />
              </Stack>
            </SimpleGrid>
          </Stack>
        )}
      </div>
    </Stack>
  );
}

function Verified(): ReactNode {
  return (
    <Alert color="green" title="This is your own token" icon={<IconShieldCheck aria-hidden />}>
      The server has verified it: it accepts the requests of this page with it.
    </Alert>
  );
}

function Unverified({ faults }: { readonly faults: readonly string[] }): ReactNode {
  return (
    <Alert
      color={faults.length > 0 ? "red" : "yellow"}
      title={faults.length > 0 ? "The server rejects this token" : "The signature is not checked here"}
      icon={<IconAlertTriangle aria-hidden />}
    >
      <Stack gap="xs">
        {faults.length > 0 && <Text size="sm">{faults.join(" ")}</Text>}
        <Text size="sm">
          This page only decodes the token. It does not check the signature, the issuer or the audience, so anyone could
          have written these claims. This command verifies a token with the options of your server:
        </Text>
        <Command value="npx troupe doctor app.ts --token -" />
      </Stack>
    </Alert>
  );
}

function TokenFacts({ token }: { readonly token: DecodedToken }): ReactNode {
  const { header, claims, notBefore, expires } = token;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["User (sub)", shown(claims.sub)],
    ["Issuer (iss)", shown(claims.iss)],
    ["Audience (aud)", shown(claims.aud)],
    ["Algorithm", shown(header.alg)],
    ["Key (kid)", shown(header.kid)],
    ["Expires", expires === undefined ? "never" : <Time key="exp" value={expires / 1000} />],
    ...(notBefore === undefined ? [] : [["Valid from", <Time key="nbf" value={notBefore / 1000} />] as const]),
    ...(typeof claims.iat === "number" ? [["Issued", <Time key="iat" value={claims.iat} />] as const] : []),
  ];
  return (
    <Paper withBorder p="md">
      <Facts facts={facts} />
    </Paper>
  );
}

interface OpensProps {
  readonly scopes: readonly string[];
  readonly permissions: readonly Permission[];
  readonly note?: string | undefined;
}

function Opens({ scopes, permissions, note }: OpensProps): ReactNode {
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Scopes and what they open
      </Title>
      <Scopes scopes={scopes} none="No claim of the token lists scopes under a usual name." />
      {note && (
        <Text size="sm" c="dimmed">
          {note}
        </Text>
      )}
      <Routes permissions={permissions} />
    </Stack>
  );
}

function shown(value: unknown): string {
  if (value === undefined) return "–";
  return Array.isArray(value) ? value.map(String).join(", ") : String(value);
}
