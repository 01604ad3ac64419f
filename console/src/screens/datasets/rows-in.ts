/** Reads rows that a person enters. */

interface Row {
  readonly input: string;
  readonly expected?: string;
}

/**
 * Returns the rows of a text: a JSON list of inputs or of `{ input, expected, metadata }`, or else a CSV table, which the server reads.
 * Undefined if the text is empty, or JSON of another form.
 */
export function rowsIn(text: string): { readonly rows: Row[] } | { readonly csv: string } | undefined {
  const given = text.trim();
  if (given === "") return undefined;
  if (!/^[[{]/.test(given)) return { csv: `${given}\n` };
  const rows = listIn(given)?.map((one) => (typeof one === "string" ? { input: one } : one));
  return rows && rows.length > 0 && rows.every(isRow) ? { rows } : undefined;
}

function listIn(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    return undefined;
  }
}

function isRow(value: unknown): value is Row {
  const input = (value as { input?: unknown } | null)?.input;
  return typeof input === "string" ? input !== "" : typeof input === "object" && input !== null;
}
