/** What a screen shows while there is nothing yet: what would be here, and the command that makes the first one. */
import { Center, Stack, Text, ThemeIcon } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./components.module.css";
import { Command } from "./copy.tsx";

interface EmptyProps {
  readonly icon: Icon;
  readonly title: string;
  readonly children: ReactNode;
  /** A command to paste. */
  readonly command?: string | undefined;
  readonly action?: ReactNode;
}

export function Empty({ icon: Shown, title, children, command, action }: EmptyProps): ReactNode {
  return (
    <Center className={classes.empty}>
      <Stack align="center" gap="sm" maw={640} w="100%">
        <ThemeIcon size="xl" variant="light" radius="xl" aria-hidden>
          <Shown size={22} />
        </ThemeIcon>
        <Text fw={600}>{title}</Text>
        <Text c="dimmed" size="sm" ta="center">
          {children}
        </Text>
        {command && <Command value={command} />}
        {action}
      </Stack>
    </Center>
  );
}
