/** The sign-in dialog. It opens over the page, so that the caller keeps its place. */
import { Alert, Button, Checkbox, Divider, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { ApiError, toShownError } from "../api/errors.ts";
import { consoleOptions, serverUrl } from "../api/places.ts";
import { currentToken, signIn, useSession } from "./credential.ts";
import { infoQuery } from "./me.ts";
import { beginOidc } from "./oidc.ts";

export function SignIn({ opened }: { readonly opened: boolean }): ReactNode {
  return (
    <Modal
      opened={opened}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Sign in"
      centered
      // Above a dialog whose change the server rejected.
      zIndex={1000}
    >
      <SignInForm />
    </Modal>
  );
}

function SignInForm(): ReactNode {
  const { data: info } = useQuery(infoQuery);
  const { generation } = useSession();
  const [token, setToken] = useState("");
  const [keep, setKeep] = useState(false);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const isKey = info?.auth_mode === "security_key";
  const hadToken = currentToken() !== undefined || generation > 0;

  const attempt = async (action: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await action();
    } catch (cause) {
      const { message, advice } = toShownError(cause);
      setError(cause instanceof ApiError && cause.status === 401 ? message : `${message} ${advice}`);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const entered = token.trim().replace(/^Bearer\s+/i, "");
    void attempt(async () => {
      await checkToken(entered);
      signIn(entered, { keep });
    });
  };

  return (
    <Stack>
      {hadToken && !error && (
        <Text size="sm">The server no longer accepts your token. Sign in again; this page stays as it is.</Text>
      )}
      {consoleOptions.oidc && (
        <>
          <Button onClick={() => void attempt(() => beginOidc({ keep }))} loading={isBusy}>
            Sign in with {new URL(consoleOptions.oidc.issuer).hostname}
          </Button>
          <Divider label="or" />
        </>
      )}
      <form onSubmit={submit}>
        <Stack>
          <PasswordInput
            label={isKey ? "Security key, or token of a service account" : "Token"}
            description={
              isKey
                ? "The value of OS_SECURITY_KEY on the server."
                : "A JSON Web Token that the server accepts, or the token of a service account."
            }
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
            required
          />
          <Checkbox
            label="Stay signed in while this tab is open"
            description="Keeps the token in the session storage of the tab. Otherwise a reload signs you out."
            checked={keep}
            onChange={(event) => setKeep(event.currentTarget.checked)}
          />
          {error && (
            <Alert color="red" title="The sign-in failed" role="alert">
              {error}
            </Alert>
          )}
          <Button type="submit" loading={isBusy} variant={consoleOptions.oidc ? "default" : "filled"}>
            Sign in
          </Button>
        </Stack>
      </form>
    </Stack>
  );
}

/** @throws ApiError if the server rejects the token */
async function checkToken(token: string): Promise<void> {
  const response = await fetch(`${serverUrl}/me`, { headers: { authorization: `Bearer ${token}` } }).catch(() => {
    throw new ApiError("The server did not respond.", { status: 0 });
  });
  if (response.ok) return;
  const body = (await response.json().catch(() => ({}))) as { detail?: unknown };
  throw new ApiError(typeof body.detail === "string" ? body.detail : "The server rejected the token.", {
    status: response.status,
  });
}
