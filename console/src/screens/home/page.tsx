import { Stack } from "@mantine/core";
import { createLazyRoute } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../../components/page.tsx";
import { useMay } from "../../session/me.ts";
import { Components } from "./components.tsx";
import { Numbers } from "./numbers.tsx";
import { Replicas } from "./replicas.tsx";
import { LiveRuns, RecentFailures } from "./runs.tsx";

export const Route = createLazyRoute("/")({ component: Home });

function Home(): ReactNode {
  const may = useMay();
  return (
    <Page title="Home" description="What this platform hosts, and what it does now.">
      <Stack gap="xl">
        <Numbers />
        {may("GET /runs") && <LiveRuns />}
        <Components />
        {may("GET /runs") && <RecentFailures />}
        {may("GET /overview") && <Replicas />}
      </Stack>
    </Page>
  );
}
