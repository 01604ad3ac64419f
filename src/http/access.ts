/** Whom a route serves: everybody, or who holds the scope `<resource>:<action>` (for one component when `idParam` names its path parameter). */
export type Access =
  | "public"
  | {
      readonly resource: string;
      readonly action: "read" | "run" | "write" | "delete";
      readonly idParam?: string;
      /** The answer is a list of components, of which callers see those for whose `id` they hold the scope. */
      readonly lists?: true;
    };
