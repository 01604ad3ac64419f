/** The filters of a list, side by side; on a phone in two columns. */
import type { ReactNode } from "react";
import classes from "./components.module.css";

export function Filters({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <search className={classes.filters} aria-label="Filters">
      {children}
    </search>
  );
}
