/** Names with their values. */
import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./components.module.css";

export function FactList({ children }: { readonly children: ReactNode }): ReactNode {
  return <dl className={classes.facts}>{children}</dl>;
}

/** A list of names with their values. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }): ReactNode {
  return (
    <FactList>
      {facts.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </FactList>
  );
}

/** One name with its value, in a `FactList`. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Group gap={4} component="span">
          {children}
        </Group>
      </dd>
    </div>
  );
}
