import { Stack } from "@mantine/core";
import { createLazyRoute } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../../components/page.tsx";
import { Components } from "./components.tsx";

export const Route = createLazyRoute("/")({ component: Home });

function Home(): ReactNode {
  return (
    <Page title="Home" description="What this platform hosts, and what it does now.">
      <Stack gap="xl">
        <Components />
      </Stack>
    </Page>
  );
}
