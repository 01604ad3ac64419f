import { Badge } from "@mantine/core";
import type { ReactNode } from "react";

const shown: Readonly<Record<string, readonly [label: string, color: string]>> = {
  OK: ["Succeeded", "green"],
  ERROR: ["Failed", "red"],
  UNSET: ["In progress", "blue"],
};

/** The status of a trace or span. The word says the same as the colour. */
export function TraceStatus({ status }: { readonly status: string }): ReactNode {
  const [label, color] = shown[status] ?? [status, "gray"];
  return (
    <Badge color={color} variant={status === "UNSET" ? "dot" : "light"} radius="sm" tt="none">
      {label}
    </Badge>
  );
}
