/** The runs that cite a document. */
import { IconQuote } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "../../components/components.module.css";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { List, nextPages, useFoundRows } from "../../components/list.tsx";
import { RunLink } from "../../components/run-link.tsx";
import { Section } from "../../components/section.tsx";
import { Time } from "../../components/values.tsx";
import { type Citation, citationsQuery, type Document } from "./queries.ts";

interface CitationsProps {
  readonly base: string;
  readonly document: Document;
}

export function Citations({ base, document }: CitationsProps): ReactNode {
  const request = useInfiniteQuery(citationsQuery(base, document.id));
  const rows = useFoundRows(
    request,
    request.data?.pages.flatMap(({ citations }) => citations),
  );
  return (
    <Section title="Cited by" description="Completed runs whose answers cite the document, the latest first.">
      <List
        request={request}
        label="Runs that cite the document"
        columns={columnsFor(base, document.id)}
        rows={rows}
        rowKey={({ run_id }) => run_id}
        paging={nextPages(request)}
        empty={
          <Empty icon={IconQuote} title="No citations yet">
            A run is listed here when its answer cites the document.
          </Empty>
        }
      />
    </Section>
  );
}

function columnsFor(base: string, document: string): readonly Column<Citation>[] {
  return [
    { id: "run", header: "Run of", cell: (citation) => <CitingRun citation={citation} /> },
    {
      id: "chunks",
      header: "Chunks",
      cell: ({ chunks }) =>
        chunks.map((chunk, place) => (
          <span key={chunk}>
            {place > 0 && ", "}
            <Link
              className={classes.colouredLink}
              to="/knowledge/$knowledgeId/$contentId"
              params={{ knowledgeId: base, contentId: document }}
              search={{ chunk }}
            >
              {chunk}
            </Link>
          </span>
        )),
    },
    { id: "user", header: "User", from: "md", cell: ({ user_id }) => user_id ?? "–" },
    { id: "at", header: "Cited", align: "right", cell: ({ cited_at }) => <Time value={cited_at} /> },
  ];
}

function CitingRun({ citation }: { readonly citation: Citation }): ReactNode {
  const { run_id, session_id, component_name, agent_id, team_id, workflow_id } = citation;
  const kind = agent_id ? "agent" : team_id ? "team" : "workflow";
  return (
    <RunLink kind={kind} component={agent_id ?? team_id ?? workflow_id ?? ""} run={run_id} session={session_id}>
      {component_name}
    </RunLink>
  );
}
