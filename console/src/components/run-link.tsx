/** A link to the page of a run. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "./components.module.css";

interface RunLinkProps {
  readonly kind: string;
  readonly component: string;
  readonly run: string;
  /** Callers who see only their own runs need the session. */
  readonly session?: string | null | undefined;
  /** Shows it in the colour of links: for a link in a line of other texts. */
  readonly isColoured?: boolean;
  readonly children: ReactNode;
}

export function RunLink({ kind, component, run, session, isColoured = false, children }: RunLinkProps): ReactNode {
  return (
    <Link
      className={isColoured ? classes.colouredLink : classes.rowLink}
      to="/runs/$kind/$component/$run"
      params={{ kind, component, run }}
      search={session ? { session } : {}}
    >
      {children}
    </Link>
  );
}
