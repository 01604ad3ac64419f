/** Whether an eval passed. */
import { Badge } from "@mantine/core";
import type { ReactNode } from "react";

export function Passed({ passed }: { readonly passed: boolean | null }): ReactNode {
  if (passed === null) return null;
  return (
    <Badge variant="light" color={passed ? "green" : "red"} radius="sm" tt="none" miw="max-content">
      {passed ? "passed" : "not passed"}
    </Badge>
  );
}
