import { Skeleton, Stack } from "@mantine/core";
import type { ReactNode } from "react";

/** What is shown while a screen loads. */
export function PageSkeleton(): ReactNode {
  return (
    <Stack gap="lg" role="status" aria-label="The page is loading">
      <Skeleton height={32} width={220} />
      <Skeleton height={18} width="60%" />
      <Skeleton height={260} />
    </Stack>
  );
}
