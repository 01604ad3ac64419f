/**
 * Access to a route: everyone, or holders of the scope `<resource>:<action>` (for one component when `idParam` names its path parameter). A
 * `public` route needs a token only if the platform's excluded paths no longer contain it; `open` never needs one and ignores any that is sent. A `caller` route
 * needs a valid credential, but no scope.
 */
export type RouteAccess =
  | "public"
  | "open"
  | "caller"
  | {
      readonly resource: string;
      /** `admin`: only admins, whatever other scopes a caller holds. */
      readonly action: "read" | "run" | "write" | "delete" | "admin";
      readonly idParam?: string;
      /**
       * The route's other possible action. A caller needs the scope of one of both actions; the handler then calls
       * `checkAction` for the action that the request performs.
       */
      readonly or?: "run";
      /** The answer is a list of components; a caller sees those for whose `id` it holds the scope. */
      readonly lists?: true;
    };

/** Whether a route requires no scope. */
export function isOpen(access: RouteAccess): access is "public" | "open" | "caller" {
  return typeof access === "string";
}
