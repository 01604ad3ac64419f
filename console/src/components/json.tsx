/** A JSON value with colours and a button that copies it. */
import { Box } from "@mantine/core";
import { type ReactNode, useMemo } from "react";
import classes from "./components.module.css";
import { Copy } from "./copy.tsx";

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Longer texts are shown without colours. */
const maxColoured = 100_000;

export function Json({ value, label = "JSON" }: { readonly value: unknown; readonly label?: string }): ReactNode {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? "undefined", [value]);
  const parts = useMemo(() => (text.length > maxColoured ? [text] : coloured(text)), [text]);
  return (
    <Box pos="relative">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long value scrolls, so that the keyboard must reach it. */}
      <pre className={classes.json} tabIndex={0}>
        {parts}
      </pre>
      <Box pos="absolute" top={6} right={6}>
        <Copy value={text} label={label} />
      </Box>
    </Box>
  );
}

function coloured(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [whole, string, colon] = match;
    parts.push(text.slice(end, match.index));
    const kind = colon === undefined ? (string === undefined ? classes.literal : classes.string) : classes.key;
    parts.push(
      <span key={match.index} className={kind}>
        {string ?? whole}
      </span>,
    );
    if (colon !== undefined) parts.push(colon);
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts;
}
