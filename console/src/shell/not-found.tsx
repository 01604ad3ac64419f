import { Button } from "@mantine/core";
import { IconMapQuestion } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Empty } from "../components/empty.tsx";
import { Page } from "../components/page.tsx";

export function NotFound(): ReactNode {
  return (
    <Page title="There is no such page">
      <Empty
        icon={IconMapQuestion}
        title="The address names no page of the console"
        action={
          <Button component={Link} to="/" variant="light">
            Go to Home
          </Button>
        }
      >
        It may be mistyped, or the page may need a newer version of the server.
      </Empty>
    </Page>
  );
}
