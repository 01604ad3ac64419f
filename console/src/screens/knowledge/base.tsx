/** One knowledge base: its documents, and searches in them. */
import { Button, Tabs } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { type ReactNode, useCallback, useMemo } from "react";
import classes from "../../components/components.module.css";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { NotThere } from "../../components/not-there.tsx";
import { Page } from "../../components/page.tsx";
import { useMay } from "../../session/me.ts";
import { useActions } from "../../shell/actions.ts";
import { AddDocuments } from "./add.tsx";
import { Documents } from "./documents.tsx";
import { Playground } from "./playground.tsx";
import { basesQuery, sourcesQuery } from "./queries.ts";
import { type BaseSearch, baseTabs } from "./search.ts";
import { Sources } from "./sources.tsx";

export const Route = createLazyRoute("/knowledge/$knowledgeId")({ component: Base });

function Base(): ReactNode {
  const { knowledgeId } = Route.useParams();
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const may = useMay();
  const { data: bases, error, refetch } = useQuery(basesQuery);
  const base = bases?.find(({ id }) => id === knowledgeId);
  const mayBrowse = may("GET /knowledge/{knowledge_id}/sources/{source_id}/files");
  const { data: sources = [] } = useQuery({ ...sourcesQuery(knowledgeId), enabled: base !== undefined && mayBrowse });
  const mayAdd = base !== undefined && may("POST /knowledge/content");
  const show = useCallback(
    (dialog: BaseSearch["dialog"]): void =>
      void navigate({ search: (before) => ({ ...before, dialog }), replace: dialog === undefined }),
    [navigate],
  );
  useActions(
    useMemo(
      () => (mayAdd ? [{ id: "add-documents", label: "Add documents", run: () => show("add") }] : []),
      [mayAdd, show],
    ),
  );
  if (!bases)
    return (
      <NotLoaded
        title={knowledgeId}
        error={error}
        onRetry={() => void refetch()}
        to="/knowledge"
        all="All knowledge bases"
      />
    );
  if (!base)
    return (
      <NotThere
        title="There is no such knowledge base"
        message="No knowledge base has this id"
        to="/knowledge"
        screen="Knowledge"
      >
        The code of the platform defines the knowledge bases.
      </NotThere>
    );
  const add = mayAdd && (
    <Button leftSection={<IconPlus size={14} aria-hidden />} onClick={() => show("add")}>
      Add documents
    </Button>
  );
  return (
    <Page
      title={base.name}
      description={
        <>
          <Link to="/knowledge" className={classes.colouredLink}>
            All knowledge bases
          </Link>
          {base.description && ` · ${base.description}`}
        </>
      }
      actions={add}
    >
      <Tabs
        value={search.tab ?? "documents"}
        onChange={(tab) => void navigate({ search: { tab: baseTabs.find((one) => one === tab) } })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="documents">Documents</Tabs.Tab>
          {may("POST /knowledge/search") && <Tabs.Tab value="search">Search</Tabs.Tab>}
          {sources.length > 0 && <Tabs.Tab value="sources">Sources</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="documents">
          <Documents
            base={base.id}
            search={search}
            onSearch={(next, { replace }) => void navigate({ search: next, replace })}
            add={add}
          />
        </Tabs.Panel>
        <Tabs.Panel value="search">
          <Playground
            base={base.id}
            search={search}
            onSearch={(change) => void navigate({ search: (before) => ({ ...before, ...change }) })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="sources">
          <Sources
            base={base.id}
            sources={sources}
            search={search}
            onSearch={(change) => void navigate({ search: (before) => ({ ...before, ...change }) })}
          />
        </Tabs.Panel>
      </Tabs>
      {mayAdd && search.dialog === "add" && <AddDocuments base={base.id} onClose={() => show(undefined)} />}
    </Page>
  );
}
