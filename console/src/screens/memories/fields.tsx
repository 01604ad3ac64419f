/** The inputs of a memory. */
import { TagsInput, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { topicsQuery } from "./queries.ts";

export interface Draft {
  readonly memory: string;
  readonly topics: readonly string[];
}

/** The server accepts no longer texts, and no more topics. */
const maxLength = 5_000;
const maxTopics = 20;
const maxTopicLength = 100;

interface FieldsProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

export function MemoryFields({ draft, onChange }: FieldsProps): ReactNode {
  const { data: topics } = useQuery(topicsQuery(undefined));
  return (
    <>
      <Textarea
        label="Memory"
        description="One fact, as agents should read it"
        autosize
        minRows={3}
        maxRows={12}
        maxLength={maxLength}
        required
        value={draft.memory}
        onChange={(event) => onChange({ ...draft, memory: event.currentTarget.value })}
      />
      <TagsInput
        label="Topics"
        description="Press Enter after each"
        data={topics?.filter((topic) => !draft.topics.includes(topic)) ?? []}
        value={[...draft.topics]}
        onChange={(next) => onChange({ ...draft, topics: next.map((one) => one.slice(0, maxTopicLength)) })}
        maxTags={maxTopics}
        clearable
      />
    </>
  );
}
