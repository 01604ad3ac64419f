/** One memory: what it says, where it comes from, and a form that changes it. */
import { Button, Drawer, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { Id } from "../../components/copy.tsx";
import { DeleteButton } from "../../components/delete-button.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Fact, FactList } from "../../components/facts.tsx";
import { RunLink } from "../../components/run-link.tsx";
import { Time } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import { type Draft, MemoryFields } from "./fields.tsx";
import { deletionOf, originOf, origins, Topics } from "./parts.tsx";
import { type Memory, memoryQuery, sourceRunQuery, useUpdateMemory } from "./queries.ts";

interface MemoryPanelProps {
  readonly id: string;
  readonly onDelete: ((memory: Memory) => void) | undefined;
  readonly onClose: () => void;
}

export function MemoryPanel({ id, onDelete, onClose }: MemoryPanelProps): ReactNode {
  const { data: memory, error, refetch } = useQuery(memoryQuery(id));
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title="Memory" padding="lg">
      {memory ? (
        <Details key={memory.updated_at} memory={memory} onDelete={onDelete} />
      ) : error ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={260} />
      )}
    </Drawer>
  );
}

interface DetailsProps {
  readonly memory: Memory;
  readonly onDelete: ((memory: Memory) => void) | undefined;
}

function Details({ memory, onDelete }: DetailsProps): ReactNode {
  const { memory_id: id, user_id: user, updated_at: changed, source } = memory;
  const learner = memory.agent_id ?? memory.team_id;
  const mayChange = useMay()("PATCH /memories/{memory_id}");
  return (
    <Stack gap="lg">
      <FactList>
        {user && <Fact name="About">{user}</Fact>}
        <Fact name="Source">
          <Source memory={memory} />
        </Fact>
        {learner && <Fact name="Learned by">{learner}</Fact>}
        {source && (
          <Fact name="Learned">
            <Time value={source.created_at} format="local" />
          </Fact>
        )}
        {changed && (
          <Fact name="Last change">
            <Time value={changed} format="local" />
          </Fact>
        )}
        <Fact name="Memory">
          <Id value={id} label="memory id" />
        </Fact>
      </FactList>
      {mayChange ? (
        <Form memory={memory} />
      ) : (
        <>
          <Text style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>{memory.memory}</Text>
          <Topics topics={memory.topics} />
        </>
      )}
      {onDelete && (
        <Group>
          <DeleteButton {...deletionOf(1)} onDelete={() => onDelete(memory)} />
        </Group>
      )}
    </Stack>
  );
}

function Form({ memory }: { readonly memory: Memory }): ReactNode {
  const stored: Draft = { memory: memory.memory, topics: memory.topics ?? [] };
  const [draft, setDraft] = useState(stored);
  const update = useUpdateMemory(memory.memory_id);
  const isChanged = draft.memory !== stored.memory || draft.topics.join("\n") !== stored.topics.join("\n");
  const isReady = isChanged && draft.memory.trim() !== "";
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady) return;
    const of = memory.user_id ? { user_id: memory.user_id } : {};
    update.mutate({ memory: draft.memory.trim(), topics: [...draft.topics], ...of });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <MemoryFields draft={draft} onChange={setDraft} />
        <Group justify="flex-end">
          <Button type="submit" disabled={!isReady} loading={update.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Where a memory comes from. A member of a team, or a step, has no run page: its memory links to the run of the team or the workflow. */
function Source({ memory }: { readonly memory: Memory }): ReactNode {
  const { source } = memory;
  const may = useMay();
  const session = source?.session_id;
  const needsRun = Boolean(source?.run_id && session) && may("GET /runs");
  const { data: run } = useQuery({ ...sourceRunQuery(source?.run_id ?? "", session ?? ""), enabled: needsRun });
  if (!source || !run) return <Text size="sm">{originOf(memory)}</Text>;
  const { component_type: kind, component_id: component, run_id: id } = run;
  return (
    <RunLink kind={kind} component={component} run={id} session={session} isColoured>
      {origins[source.origin]} of {component}
    </RunLink>
  );
}
