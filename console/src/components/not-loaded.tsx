/** The page of a thing that is not loaded: a skeleton while its request is in progress, then the error with a link to the list. */
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { PageSkeleton } from "../shell/page-skeleton.tsx";
import { ErrorPanel } from "./error-panel.tsx";
import { Page } from "./page.tsx";

interface NotLoadedProps {
  readonly title: string;
  /** The error of the request; null while it is in progress. */
  readonly error: unknown;
  readonly onRetry: () => void;
  /** The screen of all things of this kind, and the label of its link. */
  readonly to: "/components" | "/datasets" | "/evals" | "/experiments" | "/knowledge" | "/schedules";
  readonly all: string;
}

export function NotLoaded({ title, error, onRetry, to, all }: NotLoadedProps): ReactNode {
  if (!error) return <PageSkeleton />;
  return (
    <Page title={title}>
      <ErrorPanel error={error} onRetry={onRetry} />
      <Button component={Link} to={to} variant="default" w="fit-content">
        {all}
      </Button>
    </Page>
  );
}
