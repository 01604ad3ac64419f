/** One learning: what it is about, and its content with a form that changes it. */
import { Button, Drawer, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import classes from "../../components/components.module.css";
import { Id } from "../../components/copy.tsx";
import { DeleteButton } from "../../components/delete-button.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Fact, FactList } from "../../components/facts.tsx";
import { Json } from "../../components/json.tsx";
import { JsonObjectInput, objectIn } from "../../components/json-object-input.tsx";
import { Time } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import { type Learning, learningQuery, useUpdateLearning } from "./queries.ts";
import { labelOfType } from "./types.ts";

interface LearningPanelProps {
  readonly id: string;
  readonly owner: string | undefined;
  /** Whether the caller may change only learnings of their own. */
  readonly isOwn: boolean;
  readonly onDelete: ((learning: Learning) => void) | undefined;
  readonly onClose: () => void;
}

export function LearningPanel({ id, owner, isOwn, onDelete, onClose }: LearningPanelProps): ReactNode {
  const { data: learning, error, refetch } = useQuery(learningQuery(id, owner));
  const isFixed = isOwn && !learning?.user_id;
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title="Learning" padding="lg">
      {learning ? (
        <Details
          key={JSON.stringify(learning.content)}
          learning={learning}
          isFixed={isFixed}
          onDelete={isFixed ? undefined : onDelete}
        />
      ) : error ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={300} />
      )}
    </Drawer>
  );
}

interface DetailsProps {
  readonly learning: Learning;
  readonly isFixed: boolean;
  readonly onDelete: ((learning: Learning) => void) | undefined;
}

function Details({ learning, isFixed, onDelete }: DetailsProps): ReactNode {
  const may = useMay();
  const { learning_id: id, learning_type: type, user_id: user, session_id: session, metadata } = learning;
  const { entity_id: entity, entity_type: entityType, namespace, agent_id: agent, team_id: team } = learning;
  return (
    <Stack gap="lg">
      <FactList>
        <Fact name="Type">{labelOfType(type)}</Fact>
        <Fact name="User">{user ?? "all users"}</Fact>
        {entity && (
          <Fact name="Entity">
            {entityType} {entity}
          </Fact>
        )}
        {namespace && <Fact name="Namespace">{namespace}</Fact>}
        {(agent ?? team) && <Fact name="Learned by">{agent ?? team}</Fact>}
        {session && (
          <Fact name="Session">
            {may("GET /sessions/{session_id}") ? (
              <Link
                to="/sessions/$sessionId"
                params={{ sessionId: session }}
                search={user ? { user } : {}}
                className={classes.colouredLink}
              >
                {session}
              </Link>
            ) : (
              session
            )}
          </Fact>
        )}
        {learning.created_at && (
          <Fact name="Created">
            <Time value={learning.created_at} format="local" />
          </Fact>
        )}
        {learning.updated_at && (
          <Fact name="Last change">
            <Time value={learning.updated_at} format="local" />
          </Fact>
        )}
        <Fact name="Learning">
          <Id value={id} label="learning id" />
        </Fact>
      </FactList>
      {may("PATCH /learnings/{learning_id}") && !isFixed ? (
        <Form learning={learning} />
      ) : (
        <Json value={learning.content} label="content" />
      )}
      {metadata && (
        <div>
          <Text size="sm" fw={500} mb={4}>
            Metadata
          </Text>
          <Json value={metadata} label="metadata" />
        </div>
      )}
      {isFixed && (
        <Text size="sm" c="dimmed">
          It belongs to no user, so only an admin may change it.
        </Text>
      )}
      {onDelete && (
        <Group>
          <DeleteButton
            title="Delete this learning?"
            message="Agents no longer know it. A later run may learn the same again."
            onDelete={() => onDelete(learning)}
          />
        </Group>
      )}
    </Stack>
  );
}

function Form({ learning }: { readonly learning: Learning }): ReactNode {
  const stored = JSON.stringify(learning.content ?? {}, null, 2);
  const [text, setText] = useState(stored);
  const update = useUpdateLearning(learning);
  const content = objectIn(text);
  const isReady = content !== undefined && JSON.stringify(content) !== JSON.stringify(learning.content);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (content && isReady) update.mutate(content);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <JsonObjectInput label="Content" description="A JSON object" text={text} onChange={setText} />
        <Group justify="flex-end">
          <Button type="submit" disabled={!isReady} loading={update.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
