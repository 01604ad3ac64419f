/**
 * Names for statements that come again: the server then plans each once a connection. Of a short statement, planning is most of the cost: a
 * claim that finds nothing took 7 ms with it and takes less than one without.
 */

/** Names given by one process. Each is held by every connection that has used it. */
const mostNames = 300;
/** A list of more values has its text mostly to itself. */
const mostParameters = 40;
/** Columns that a later migration adds would change what such a statement answers, and the server then refuses the kept plan. */
const allColumns = /(select|returning) \*|\.\*/i;

export class StatementNames {
  /** By text; without a name as long as it came only once. */
  readonly #names = new Map<string, string | undefined>();
  #given = 0;

  /** Undefined for a text that comes for the first time, or is not worth a name. */
  nameOf(text: string, parameters: number): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (parameters === 0 || parameters > mostParameters || allColumns.test(text)) return undefined;
    const cameBefore = this.#names.has(text);
    if (!cameBefore && this.#names.size >= mostNames) return undefined;
    const name = cameBefore ? `s${++this.#given}` : undefined;
    this.#names.set(text, name);
    return name;
  }
}
