/**
 * The statement that writes a flush, composed of the parts that the flush needs: a part costs time even if it has no rows. Its checks verify what the
 * flush assumes. If an assumption is wrong, the statement writes nothing and returns `passed: false`.
 */
import * as parts from "./parts.ts";
import type { BoundStatement, NamedStatement } from "./query.ts";

type AnyPart = parts.Part | parts.Check;

/** A part with its values. */
export interface BoundPart {
  readonly part: AnyPart;
  readonly values: readonly unknown[];
}

/** The row that the statement returns. */
export interface Answer {
  readonly passed: boolean;
  /** Keys of the runs whose heads the statement checks and that another process follows, as one text; null for none. */
  readonly watched: string | null;
  /** JSON text of the totals of the counters that the flush changed: `CountedUsage[]`. */
  readonly totals?: string | null;
}

/** All parts. Checks come first; `unchangedSessions` needs `runningHeads`. */
export const allParts: readonly AnyPart[] = [
  ...[parts.runningHeads, parts.unchangedSessions, parts.reservations],
  ...[
    parts.segments,
    parts.sealedSegments,
    parts.messages,
    parts.marks,
    parts.creations,
    parts.members,
    parts.memberEnds,
  ],
  ...[parts.heads, parts.sessions, parts.duePushTargets, parts.pauses, parts.deliveries, parts.jobs, parts.usage],
];

/** Max statements of different parts. A connection keeps each that it has used; further combinations use the statement with all parts. */
const maxStatements = 48;
const complete = compose(allParts);
const statements = new Map<string, NamedStatement>();

/** Returns the statement for these parts, in the order of `allParts`. */
export function bindParts(bound: readonly BoundPart[]): BoundStatement {
  const statement = statementOf(bound.map(({ part }) => part));
  if (statement !== complete) return { ...statement, values: bound.flatMap(({ values }) => values) };
  const valuesOf = new Map(bound.map(({ part, values }) => [part, values]));
  return { ...complete, values: allParts.flatMap((part) => valuesOf.get(part) ?? part.empty) };
}

function statementOf(needed: readonly AnyPart[]): NamedStatement {
  const name = nameOf(needed);
  const known = statements.get(name);
  if (known !== undefined) return known;
  if (statements.size >= maxStatements) return complete;
  const made = compose(needed);
  statements.set(name, made);
  return made;
}

function nameOf(needed: readonly AnyPart[]): string {
  return `flush_${needed.map(({ letter }) => letter).join("")}`;
}

/** Composes the statement of these parts. */
export function compose(needed: readonly AnyPart[]): NamedStatement {
  const tables: string[] = [];
  const conditions: string[] = [];
  const writes: string[] = [];
  let place = 0;
  for (const part of needed) {
    const before = place;
    const numbered = (text: string): string => text.replace(/\$(\d+)/g, (_, number) => `$${before + Number(number)}`);
    if ("locks" in part) {
      tables.push(numbered(part.locks));
      conditions.push(numbered(part.holds));
    } else {
      writes.push(
        numbered(part.writes(needed.some((each) => "locks" in each) ? "(select passed from checked)" : "true")),
      );
    }
    place += part.empty.length;
  }
  if (conditions.length > 0) tables.push(`checked as materialized (select ${conditions.join(" and ")} as passed)`);
  const results = [
    conditions.length > 0 ? "(select passed from checked) as passed" : "true as passed",
    needed.includes(parts.runningHeads)
      ? "(select string_agg(run_key::text, ' ') from h where watched = 1) as watched"
      : "null as watched",
    ...(needed.includes(parts.usage) ? ["(select json_agg(counted) from counted) as totals"] : []),
    ...(needed.includes(parts.creations) ? [`(select count(${parts.rejectDeleted}) from begun) as created`] : []),
  ];
  const text = `with ${[...tables, ...writes].join(",\n")}\nselect ${results.join(", ")}`;
  return { name: nameOf(needed), text };
}
