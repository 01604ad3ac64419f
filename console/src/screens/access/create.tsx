import { Alert, Button, Checkbox, Code, Group, Modal, Select, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { type FormEvent, type ReactNode, useMemo, useState } from "react";
import { serverUrl } from "../../api/places.ts";
import { Command, Copy } from "../../components/copy.tsx";
import type { Me } from "../../session/me.ts";
import classes from "./access.module.css";
import { useCreateAccount } from "./queries.ts";
import { grantableScopes, isPrivileged, mayGrant } from "./scopes.ts";

interface CreateProps {
  readonly me: Me;
  readonly onClose: () => void;
}

/** The scopes that an account usually needs: it may run components. */
const usual = ["agents:run", "teams:run", "workflows:run", "sessions:read", "config:read"];
const namePattern = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const never = "never";
const lifetimes = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "a year" },
  { value: never, label: "never" },
];

export function CreateAccount({ me, onClose }: CreateProps): ReactNode {
  const create = useCreateAccount();
  const token = create.data?.token;
  return (
    <Modal
      opened
      onClose={onClose}
      title={token === undefined ? "Create a service account" : "Copy the token now"}
      centered
      size="lg"
      // A click beside the dialog must not lose the token.
      closeOnClickOutside={token === undefined}
    >
      {create.data && token !== undefined ? (
        <CreatedToken name={create.data.name} token={token} onClose={onClose} />
      ) : (
        <Form me={me} create={create} onClose={onClose} />
      )}
    </Modal>
  );
}

function Form({
  me,
  create,
  onClose,
}: CreateProps & { readonly create: ReturnType<typeof useCreateAccount> }): ReactNode {
  const grantable = useMemo(() => grantableScopes(me), [me]);
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<string[]>(() => usual.filter((scope) => mayGrant(me, grantable, scope)));
  const [lifetime, setLifetime] = useState("90");
  const [isDeliberate, setDeliberate] = useState(false);
  const isNameFine = namePattern.test(name);
  const foreign = scopes.filter((scope) => !mayGrant(me, grantable, scope));
  const privileged = scopes.filter(isPrivileged);
  const isReady = isNameFine && scopes.length > 0 && foreign.length === 0 && (privileged.length === 0 || isDeliberate);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady) return;
    create.mutate({
      name,
      scopes: scopes.map((scope) => ({ scope, effect: "allow" as const })),
      expires_in_days: lifetime === never ? null : Number(lifetime),
      never_expires: lifetime === never,
      allow_privileged_scopes: privileged.length > 0,
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="Lower-case letters, digits, hyphens and underscores"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={
            name !== "" && !isNameFine ? "It begins with a letter or digit, and has at most 63 characters." : undefined
          }
          required
          data-autofocus
        />
        <TagsInput
          label="Scopes"
          description="Only scopes that you hold. For one component: agents:ID:run"
          data={grantable}
          value={scopes}
          onChange={setScopes}
          error={foreign.length > 0 ? `You do not hold ${foreign.join(", ")}.` : undefined}
          clearable
          maxDropdownHeight={240}
          required={scopes.length === 0}
        />
        <Select
          label="The token expires after"
          data={lifetimes}
          value={lifetime}
          onChange={(value) => setLifetime(value ?? "90")}
          allowDeselect={false}
        />
        {privileged.length > 0 && (
          <Checkbox
            checked={isDeliberate}
            onChange={(event) => setDeliberate(event.currentTarget.checked)}
            label={`The account may change or delete data, or administer the server: ${privileged.join(", ")}`}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={!isReady}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface CreatedProps {
  readonly name: string;
  readonly token: string;
  readonly onClose: () => void;
}

function CreatedToken({ name, token, onClose }: CreatedProps): ReactNode {
  return (
    <Stack>
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="The token is shown only now">
        The server keeps a hash of it. If it is lost, revoke the account and create it again.
      </Alert>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Code block className={classes.wrap} data-testid="token" flex={1} aria-label={`Token of ${name}`}>
          {token}
        </Code>
        <Copy value={token} label="token" />
      </Group>
      <Text size="sm">To try it:</Text>
      <Command value={`curl ${serverUrl}/me -H "Authorization: Bearer $TOKEN"`} />
      <Group justify="flex-end">
        <Button onClick={onClose}>I have stored the token</Button>
      </Group>
    </Stack>
  );
}
