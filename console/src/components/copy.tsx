/** Text that the caller can copy. */
import { ActionIcon, Code, CopyButton, Group, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./components.module.css";

interface CopyProps {
  readonly value: string;
  /** What is copied, for the button's name: `command`, `run id`. */
  readonly label: string;
}

/** A button that copies a text. */
export function Copy({ value, label }: CopyProps): ReactNode {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : `Copy the ${label}`}>
          <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={`Copy the ${label}`}>
            {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** An id with a button that copies it. Long ids are shortened on the screen only. */
export function Id({ value, label }: CopyProps): ReactNode {
  const shown = value.length > 13 ? `${value.slice(0, 8)}…` : value;
  return (
    <Group gap={4} wrap="nowrap" className={classes.inline}>
      <Tooltip label={value} disabled={shown === value} openDelay={300}>
        <Code>{shown}</Code>
      </Tooltip>
      <Copy value={value} label={label} />
    </Group>
  );
}

/** A command for a terminal, with a button that copies it. */
export function Command({ value }: { readonly value: string }): ReactNode {
  return (
    <div className={classes.command}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long command scrolls, so that the keyboard must reach it. */}
      <pre tabIndex={0}>
        <code>{value}</code>
      </pre>
      <Copy value={value} label="command" />
    </div>
  );
}
