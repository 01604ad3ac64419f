/** Types of a platform's components, read from the type of the platform (`createClient<typeof platform>`). */
import type { ComponentKind } from "../src/model/run/run.ts";

/** The types of one component, as `defineAgent`, `defineTeam` and `defineWorkflow` declare them. */
export interface ComponentTypes {
  /** Input of a start. */
  readonly input: unknown;
  readonly sessionState: object;
  readonly dependencies: object;
  /** Content of a completed run. */
  readonly content: unknown;
}

/** The types of a component whose definition is unknown. */
export interface AnyTypes extends ComponentTypes {
  readonly input: string;
  readonly sessionState: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, unknown>>;
}

type TypesOf<Value> = Value extends { readonly "~types"?: infer Types } ? NonNullable<Types> : never;

/** The platform's components of a kind; never if the platform is unknown. */
type Listed<Platform, Kind extends ComponentKind> =
  TypesOf<Platform> extends infer Types ? (`${Kind}s` extends keyof Types ? Types[`${Kind}s`] : never) : never;

/** Ids of the platform's components of a kind; any string if the platform is unknown. */
export type IdOf<Platform, Kind extends ComponentKind> = unknown extends Platform
  ? string
  : Listed<Platform, Kind> extends { readonly id: infer Id extends string }
    ? Id
    : never;

/** The types of the component with an id. */
export type TypesOfId<Platform, Kind extends ComponentKind, Id extends string> =
  TypesOf<Extract<Listed<Platform, Kind>, { readonly id: Id }>> extends infer Types extends ComponentTypes
    ? [Types] extends [never]
      ? AnyTypes
      : Types
    : AnyTypes;
