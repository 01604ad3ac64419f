/** Shows the code that starts and resumes a run. */
import { Modal, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Command } from "../../components/copy.tsx";
import { type CodeFacts, toCurl, toTypeScript } from "./code.ts";

const languages = [
  { value: "curl", label: "curl" },
  { value: "ts", label: "TypeScript" },
];

export function CodeDialog({ facts, onClose }: { readonly facts: CodeFacts; readonly onClose: () => void }): ReactNode {
  const [language, setLanguage] = useState("curl");
  const { start, resume } = language === "curl" ? toCurl(facts) : toTypeScript(facts);
  return (
    <Modal opened onClose={onClose} title="Use this run in code" size="xl" centered>
      <Stack>
        <SegmentedControl aria-label="Language" data={languages} value={language} onChange={setLanguage} />
        <Title order={3} size="h5">
          Start such a run
        </Title>
        <Command value={start} />
        <Title order={3} size="h5">
          Follow this run from its first event
        </Title>
        <Command value={resume} />
        {facts.needsToken && (
          <Text size="sm" c="dimmed">
            Put your token into the environment variable TOKEN. The console never copies it.
          </Text>
        )}
      </Stack>
    </Modal>
  );
}
