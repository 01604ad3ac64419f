/** Sources of an answer, and what a search of documents found. Documents of a knowledge base link to their pages. */
import { Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useMay } from "../session/me.ts";
import classes from "./components.module.css";
import { type Source, sourcesIn } from "./source.ts";

interface SourcesProps {
  /** Citations, references, or the result of a search. */
  readonly of: unknown;
  readonly label?: string;
}

/** The sources as a list; nothing if there are none. */
export function Sources({ of, label = "Sources" }: SourcesProps): ReactNode {
  const sources = sourcesIn(of);
  if (sources.length === 0) return null;
  return (
    <section className={classes.sources} aria-label={label}>
      <Text size="xs" fw={600}>
        {label}
      </Text>
      <ul>
        {sources.map((source, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: sources have no ids, and their order does not change.
          <li key={at}>
            <Text size="sm" component="div">
              {source.number !== undefined && `[${source.number}] `}
              <SourceLink source={source} />
              {source.part && (
                <Text size="xs" c="dimmed" span ml={6}>
                  {source.part}
                </Text>
              )}
            </Text>
            {source.text && (
              <Text size="xs" c="dimmed" lineClamp={2}>
                {source.text}
              </Text>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function SourceLink({ source: { title, place, url } }: { readonly source: Source }): ReactNode {
  const may = useMay();
  if (place && may("GET /knowledge/content/{content_id}"))
    return (
      <Link
        className={classes.colouredLink}
        to="/knowledge/$knowledgeId/$contentId"
        params={{ knowledgeId: place.knowledgeId, contentId: place.contentId }}
        search={place.chunk === undefined ? {} : { chunk: place.chunk }}
      >
        {title}
      </Link>
    );
  if (url === undefined) return title;
  return (
    <Anchor href={url} target="_blank" rel="noreferrer noopener" size="sm">
      {title}
    </Anchor>
  );
}
