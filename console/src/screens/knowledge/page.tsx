/** The knowledge bases of the platform. */
import { Stack, Text } from "@mantine/core";
import { IconBooks } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "../../components/components.module.css";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { List } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { basesQuery, type KnowledgeBase } from "./queries.ts";

export const Route = createLazyRoute("/knowledge")({ component: KnowledgeBases });

function KnowledgeBases(): ReactNode {
  const request = useQuery(basesQuery);
  return (
    <Page title="Knowledge" description="Documents that agents search and cite.">
      <List
        request={request}
        label="Knowledge bases"
        columns={columns}
        rows={request.data}
        rowKey={({ id }) => id}
        empty={
          <Empty icon={IconBooks} title="No knowledge bases" command={example}>
            The code of the platform defines knowledge bases and gives them to agents. You then add documents here.
          </Empty>
        }
      />
    </Page>
  );
}

const example = `const manual = defineKnowledge({ id: "manual", embedder: lexicalEmbedder() });

export default definePlatform({ id: "newsroom", knowledge: [manual] });`;

const columns: readonly Column<KnowledgeBase>[] = [
  {
    id: "name",
    header: "Knowledge base",
    cell: ({ id, name, description }) => (
      <Stack gap={2} maw={{ base: 240, sm: 520 }}>
        <Link to="/knowledge/$knowledgeId" params={{ knowledgeId: id }} search={{}} className={classes.rowLink}>
          {name}
        </Link>
        {description && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {description}
          </Text>
        )}
      </Stack>
    ),
  },
  { id: "documents", header: "Documents", align: "right", cell: ({ documents }) => documents.toLocaleString("en") },
  { id: "embedder", header: "Embedding model", from: "sm", cell: ({ embedder }) => embedder },
];
