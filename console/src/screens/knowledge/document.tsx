/** One document: its state, and its chunks as searches find them. */
import { Button, Text } from "@mantine/core";
import { IconFileText, IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { ApiError } from "../../api/errors.ts";
import classes from "../../components/components.module.css";
import { Id } from "../../components/copy.tsx";
import type { Column } from "../../components/data-table.tsx";
import { DeleteButton } from "../../components/delete-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Fact, FactList } from "../../components/facts.tsx";
import { Json } from "../../components/json.tsx";
import { List } from "../../components/list.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { NotThere } from "../../components/not-there.tsx";
import { Page } from "../../components/page.tsx";
import { Section } from "../../components/section.tsx";
import { Size, Time, Tokens } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import { Citations } from "./citations.tsx";
import { nameOf, sizeOf } from "./documents.tsx";
import { EditDocument } from "./edit.tsx";
import { Ingestion, useMayChange } from "./ingestion.tsx";
import own from "./knowledge.module.css";
import { type Chunk, chunksPerPage, chunksQuery, type Document, documentQuery, useDeleteDocuments } from "./queries.ts";

export const Route = createLazyRoute("/knowledge/$knowledgeId/$contentId")({ component: OneDocument });

function OneDocument(): ReactNode {
  const { knowledgeId, contentId } = Route.useParams();
  const { data, error, refetch } = useQuery(documentQuery(knowledgeId, contentId));
  if (error instanceof ApiError && error.status === 404)
    return (
      <NotThere
        title="There is no such document"
        message="No document has this id, or you may not see it"
        to="/knowledge"
        screen="Knowledge"
      >
        It may be deleted, or it may belong to another user.
      </NotThere>
    );
  if (data) return <Shown base={knowledgeId} document={data} />;
  return (
    <NotLoaded
      title="Document"
      error={error}
      onRetry={() => void refetch()}
      to="/knowledge"
      all="All knowledge bases"
    />
  );
}

interface ShownProps {
  readonly base: string;
  readonly document: Document;
}

function Shown({ base, document }: ShownProps): ReactNode {
  const { dialog } = Route.useSearch();
  const navigate = Route.useNavigate();
  const may = useMay();
  const mayEdit = useMayChange()(document) && may("PATCH /knowledge/content/{content_id}");
  const show = (next: typeof dialog): void =>
    void navigate({ search: (before) => ({ ...before, dialog: next }), replace: next === undefined });
  const { id, description, metadata } = document;
  return (
    <Page
      title={nameOf(document)}
      description={
        <>
          <Link
            to="/knowledge/$knowledgeId"
            params={{ knowledgeId: base }}
            search={{}}
            className={classes.colouredLink}
          >
            {base}
          </Link>
          {description && ` · ${description}`}
        </>
      }
      actions={<Actions base={base} document={document} onEdit={mayEdit ? () => show("edit") : undefined} />}
    >
      <FactList>
        <Fact name="State">
          <Ingestion base={base} document={document} isWhole />
        </Fact>
        {document.type && <Fact name="Type">{document.type}</Fact>}
        <Fact name="Size">
          <Size bytes={sizeOf(document.size)} />
        </Fact>
        <Fact name="Chunks">{(document.chunks ?? 0).toLocaleString("en")}</Fact>
        <Fact name="Tokens">
          <Tokens count={document.tokens} />
        </Fact>
        <Fact name="Visible to">{document.user_id ?? "all users"}</Fact>
        <Fact name="Cited by runs">{(document.access_count ?? 0).toLocaleString("en")}</Fact>
        {document.created_at && (
          <Fact name="Added">
            <Time value={document.created_at} format="local" />
          </Fact>
        )}
        {document.updated_at && (
          <Fact name="Last change">
            <Time value={document.updated_at} format="local" />
          </Fact>
        )}
        <Fact name="Document">
          <Id value={id} label="document id" />
        </Fact>
      </FactList>
      {metadata && Object.keys(metadata).length > 0 && (
        <Section title="Metadata">
          <Json value={metadata} label="metadata" />
        </Section>
      )}
      <Chunks base={base} document={document} />
      <Citations base={base} document={document} />
      {mayEdit && dialog === "edit" && <EditDocument base={base} document={document} onClose={() => show(undefined)} />}
    </Page>
  );
}

interface ActionsProps extends ShownProps {
  readonly onEdit: (() => void) | undefined;
}

function Actions({ base, document, onEdit }: ActionsProps): ReactNode {
  const navigate = Route.useNavigate();
  const may = useMay();
  const mayChange = useMayChange()(document);
  const deletion = useDeleteDocuments(base);
  const remove = (): void => {
    // The page of a deleted document would be read again, so that it is left first.
    void navigate({ to: "/knowledge/$knowledgeId", params: { knowledgeId: base }, search: {} });
    deletion.mutate([document.id]);
  };
  return (
    <>
      {onEdit && (
        <Button variant="default" leftSection={<IconPencil size={14} aria-hidden />} onClick={onEdit}>
          Change
        </Button>
      )}
      {mayChange && may("DELETE /knowledge/content/{content_id}") && (
        <DeleteButton
          title="Delete this document?"
          message={`Searches no longer find "${nameOf(document)}". Earlier answers keep what they cite.`}
          onDelete={remove}
        />
      )}
    </>
  );
}

function Chunks({ base, document }: ShownProps): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const count = document.chunks ?? 0;
  const pages = Math.max(1, Math.ceil(count / chunksPerPage));
  const named = search.chunk === undefined ? 1 : Math.floor(search.chunk / chunksPerPage) + 1;
  const page = Math.min(search.page ?? named, pages);
  const request = useQuery({
    ...chunksQuery(base, document.id, page),
    enabled: count > 0,
  });
  const { refetch } = request;
  // Another ingestion replaces the chunks.
  const version = useRef(document.updated_at);
  useEffect(() => {
    if (version.current === document.updated_at) return;
    version.current = document.updated_at;
    void refetch();
  }, [document.updated_at, refetch]);
  const columns = useMemo(() => columnsFor(search.chunk), [search.chunk]);
  const isMissing = search.chunk !== undefined && document.status !== "processing" && search.chunk >= count;
  return (
    <Section
      title="Chunks"
      description="The parts that searches find, in their order. Offsets count characters of the parsed text."
    >
      {isMissing && (
        <Text size="sm" c="dimmed">
          There is no chunk {search.chunk} any more: the document was ingested again.
        </Text>
      )}
      <List
        request={request}
        label="Chunks"
        columns={columns}
        rows={count === 0 ? [] : request.data}
        rowKey={({ number }) => String(number)}
        paging={{
          ...{ kind: "pages", page, pages },
          onPage: (next) => void navigate({ search: (before) => ({ ...before, chunk: undefined, page: next }) }),
        }}
        empty={
          <Empty icon={IconFileText} title="No chunks yet">
            {document.status === "processing"
              ? "They appear when the ingestion is complete."
              : document.status === "failed"
                ? "The ingestion failed. Retry it, or add a corrected document with the same name."
                : "The document has no text."}
          </Empty>
        }
      />
    </Section>
  );
}

function columnsFor(chosen: number | undefined): readonly Column<Chunk>[] {
  return [
    { id: "chunk", header: "Chunk", cell: (chunk) => <ChunkText chunk={chunk} isChosen={chunk.number === chosen} /> },
    { id: "page", header: "Page", align: "right", from: "sm", cell: ({ page }) => page ?? <Text c="dimmed">–</Text> },
    {
      id: "offsets",
      header: "Characters",
      align: "right",
      from: "md",
      cell: ({ start, end }) => `${start.toLocaleString("en")}–${end.toLocaleString("en")}`,
    },
    { id: "tokens", header: "Tokens", align: "right", from: "md", cell: ({ tokens }) => <Tokens count={tokens} /> },
  ];
}

function ChunkText({ chunk, isChosen }: { readonly chunk: Chunk; readonly isChosen: boolean }): ReactNode {
  const { number, content, headings, page, start, end } = chunk;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) place.current?.scrollIntoView({ block: "center" });
  }, [isChosen]);
  return (
    <div
      id={`chunk-${number}`}
      ref={place}
      className={isChosen ? `${own.chunk} ${own.chosen}` : own.chunk}
      {...(isChosen && { "aria-current": "true" })}
    >
      <Text size="xs" c="dimmed">
        {[`Chunk ${number}`, ...headings].join(" › ")}
      </Text>
      <Text size="sm">{content}</Text>
      <Text size="xs" c="dimmed" hiddenFrom="md">
        {page !== null && `page ${page}, `}characters {start.toLocaleString("en")}–{end.toLocaleString("en")}
      </Text>
    </div>
  );
}
