import { Group, Stack, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

interface SectionProps {
  readonly title: string;
  /** Controls at the right of the title. */
  readonly controls?: ReactNode;
  readonly children: ReactNode;
}

/** A part of the screen with its own title. */
export function Section({ title, controls, children }: SectionProps): ReactNode {
  const id = useId();
  return (
    <Stack gap="sm" component="section" aria-labelledby={id}>
      <Group justify="space-between" gap="sm">
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {controls}
      </Group>
      {children}
    </Stack>
  );
}
