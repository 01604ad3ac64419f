/** Imports an exported version: the file of an export becomes a draft. */
import { Button, FileButton } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import { useImport } from "./queries.ts";

export function ImportButton(): ReactNode {
  const navigate = useNavigate();
  const reset = useRef<() => void>(null);
  const load = useImport(({ component_type: kind, component_id: id }) =>
    navigate({ to: "/components/$kind/$id", params: { kind, id }, search: {} }),
  );
  return (
    <FileButton
      resetRef={reset}
      // The same file can be chosen again.
      onChange={(file) => file && load.mutate(file, { onSettled: () => reset.current?.() })}
      accept=".json,application/json"
    >
      {(props) => (
        <Button
          {...props}
          variant="default"
          leftSection={<IconUpload size={14} aria-hidden />}
          loading={load.isPending}
        >
          Import
        </Button>
      )}
    </FileButton>
  );
}
