/**
 * Whom a route serves: everybody, or who holds the scope `<resource>:<action>` (for one component when `idParam` names its path parameter).
 * `public` needs a token where the settings exclude its path from that no more; `open` never does, and does not look at one.
 */
export type Access =
  | "public"
  | "open"
  | {
      readonly resource: string;
      readonly action: "read" | "run" | "write" | "delete";
      readonly idParam?: string;
      /**
       * The other action that a call to the route may be: whoever holds the scope of either is let in, and the route asks `checkAction` for the
       * one that the call is.
       */
      readonly or?: "run";
      /** The answer is a list of components, of which callers see those for whose `id` they hold the scope. */
      readonly lists?: true;
    };

/** Whether a route demands no scope. */
export function isOpen(access: Access): access is "public" | "open" {
  return typeof access === "string";
}
