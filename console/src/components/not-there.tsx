/** A page for an address that names nothing, or nothing that the caller may see. */
import { Button } from "@mantine/core";
import { IconMapQuestion } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Empty } from "./empty.tsx";
import { Page } from "./page.tsx";

interface NotThereProps {
  readonly title: string;
  /** What the address does not name. */
  readonly message: string;
  /** A screen to go on with. */
  readonly to: "/" | "/components" | "/evals" | "/knowledge" | "/sessions";
  readonly screen: string;
  /** Possible reasons. */
  readonly children: ReactNode;
}

export function NotThere({ title, message, to, screen, children }: NotThereProps): ReactNode {
  return (
    <Page title={title}>
      <Empty
        icon={IconMapQuestion}
        title={message}
        action={
          <Button component={Link} to={to} variant="light">
            Go to {screen}
          </Button>
        }
      >
        {children}
      </Empty>
    </Page>
  );
}
