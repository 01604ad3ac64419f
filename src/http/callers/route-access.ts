/**
 * Access to a route: everyone, or holders of the scope `<resource>:<action>` (for one component when `idParam` names its path parameter). `public`
 * needs a token only where the settings no longer exclude its path from authentication; `open` never needs one and ignores any that is sent.
 */
export type RouteAccess =
  | "public"
  | "open"
  | {
      readonly resource: string;
      readonly action: "read" | "run" | "write" | "delete";
      readonly idParam?: string;
      /**
       * The route's other possible action: the scope of either action lets a caller in, and the route calls `checkAction` for the action that this
       * call is.
       */
      readonly or?: "run";
      /** The answer is a list of components; a caller sees those for whose `id` it holds the scope. */
      readonly lists?: true;
    };

/** Whether a route requires no scope. */
export function isOpen(access: RouteAccess): access is "public" | "open" {
  return typeof access === "string";
}
