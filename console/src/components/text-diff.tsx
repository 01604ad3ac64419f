/** Two texts, with the lines that one of them lacks. */
import { VisuallyHidden } from "@mantine/core";
import { type ReactNode, useMemo } from "react";
import classes from "./components.module.css";
import { type DiffLine, diffLines } from "./diff-lines.ts";

const signs: Readonly<Record<DiffLine["kind"], string>> = { same: " ", removed: "−", added: "+" };

interface TextDiffProps {
  readonly before: string;
  readonly after: string;
  /** What is compared, for screen readers. */
  readonly label: string;
}

export function TextDiff({ before, after, label }: TextDiffProps): ReactNode {
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, so that the keyboard must reach it.
    <section className={classes.diff} aria-label={label} tabIndex={0}>
      {lines.map(({ kind, text }, place) => {
        const key = `${place} ${kind}`;
        const Line = kind === "added" ? "ins" : kind === "removed" ? "del" : "span";
        return (
          <Line key={key} className={classes.diffLine} data-kind={kind}>
            <span aria-hidden>{signs[kind]}</span>
            <span>
              {kind !== "same" && <VisuallyHidden>{kind}: </VisuallyHidden>}
              {text}
            </span>
          </Line>
        );
      })}
    </section>
  );
}
