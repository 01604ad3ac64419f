/** What the compiler knows of a platform's components, from the type of the platform (`createClient<typeof platform>`). */
import type { ComponentKind } from "../src/model/run.ts";

/** The types of one component, as `defineAgent` and its like write them down. */
export interface ComponentTypes {
  /** What a start takes. */
  readonly input: unknown;
  readonly sessionState: object;
  readonly dependencies: object;
  /** What a completed run answers. */
  readonly content: unknown;
}

/** A component of which nothing is known. */
export interface AnyTypes extends ComponentTypes {
  readonly input: string;
  readonly sessionState: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, unknown>>;
}

type TypesOf<Value> = Value extends { readonly "~types"?: infer Types } ? NonNullable<Types> : never;

/** The platform's components of a kind; never where the platform is not known. */
type Listed<Platform, Kind extends ComponentKind> =
  TypesOf<Platform> extends infer Types ? (`${Kind}s` extends keyof Types ? Types[`${Kind}s`] : never) : never;

/** The ids that a client may name: those of the platform, or any where it is not known. */
export type IdOf<Platform, Kind extends ComponentKind> = unknown extends Platform
  ? string
  : Listed<Platform, Kind> extends { readonly id: infer Id extends string }
    ? Id
    : never;

/** What is known of the component of an id. */
export type TypesOfId<Platform, Kind extends ComponentKind, Id extends string> =
  TypesOf<Extract<Listed<Platform, Kind>, { readonly id: Id }>> extends infer Types extends ComponentTypes
    ? [Types] extends [never]
      ? AnyTypes
      : Types
    : AnyTypes;
