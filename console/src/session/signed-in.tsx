/** The page to which the sign-in provider sends the browser back. */
import { Button, Center, Loader, Stack, Text } from "@mantine/core";
import { createRoute, useNavigate, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { ErrorPanel } from "../components/error-panel.tsx";
import { rootRoute } from "../routing/root.ts";
import { completeOidc } from "./oidc.ts";

export const signedInPath = "/signed-in";

export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: signedInPath,
  component: SignedIn,
});

let completion: Promise<string> | undefined;

function SignedIn(): ReactNode {
  const navigate = useNavigate();
  const router = useRouter();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    // The code of the provider is valid once.
    completion ??= completeOidc();
    completion.then((place) => router.history.replace(`${router.basepath}${place}`), setError);
  }, [router]);
  if (error !== undefined) {
    return (
      <Stack>
        <ErrorPanel error={error} />
        <Button onClick={() => void navigate({ to: "/" })}>Go to the console</Button>
      </Stack>
    );
  }
  return (
    <Center mih="50dvh">
      <Stack align="center">
        <Loader />
        <Text>Signing in</Text>
      </Stack>
    </Center>
  );
}
