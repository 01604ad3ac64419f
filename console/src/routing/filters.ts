/** The filters of a list, in the query of the page's URL. */

/** Writes a changed query to the URL; `replace` without an entry in the history. */
type SetSearch<Search> = (next: (before: Search) => Search, options: { readonly replace: boolean }) => void;

interface Filters<Search> {
  /** Changes filters, and returns to the first page. */
  readonly filter: (change: Partial<Search>) => void;
  /** Value and change of one filter, as properties of an input. */
  readonly bind: <Name extends keyof Search>(
    name: Name,
  ) => { readonly value: Search[Name]; readonly onChange: (value: Search[Name]) => void };
  readonly toPage: (page: number) => void;
  readonly removeAll: () => void;
}

/** Returns the filters of a list. The functions are new for each call. */
export function filtersOf<Search extends object>(search: Search, setSearch: SetSearch<Search>): Filters<Search> {
  const filter = (change: Partial<Search>): void =>
    setSearch((before) => ({ ...before, page: undefined, ...change }), { replace: true });
  return {
    filter,
    bind: (name) => ({
      value: search[name],
      onChange: (value) => filter({ [name]: value } as unknown as Partial<Search>),
    }),
    toPage: (page) => setSearch((before) => ({ ...before, page }), { replace: false }),
    removeAll: () => setSearch(() => ({}) as Search, { replace: false }),
  };
}

/** Whether a list is filtered by one of these names. */
export function isFiltered<Search extends object>(search: Search, names: readonly (keyof Search)[]): boolean {
  return names.some((name) => search[name] !== undefined);
}
