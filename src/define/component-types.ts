/** Types of a component for the compiler only. The client reads them from the type of a platform. */
import type { z } from "zod";

/** The default type of fields that a definition does not type. */
export type Fields = Readonly<Record<string, unknown>>;

/** The types of one component. */
export interface ComponentTypes {
  /** Its id, as a literal type. */
  readonly id: string;
  /** Input of a run: a string, or for a workflow with `input` also a value of that schema. */
  readonly input: unknown;
  readonly sessionState: object;
  readonly dependencies: object;
  /** Content of a completed run, as the client receives it (JSON). */
  readonly content: unknown;
}

/** Carries a type; the member is never set at run time. */
export interface Typed<Types> {
  readonly "~types"?: Types | undefined;
}

/**
 * The type of a value after JSON serialization: the result of `toJSON` if there is one; a top-level `undefined` becomes null; functions are
 * omitted.
 */
export type AsJson<Value> = unknown extends Value
  ? Value
  : Value extends string | number | boolean | null
    ? Value
    : undefined extends Value
      ? null
      : Value extends { toJSON(...given: never[]): infer Json }
        ? AsJson<Json>
        : Value extends readonly unknown[]
          ? { [Place in keyof Value]: AsJson<Value[Place]> }
          : Value extends object
            ? { [Name in keyof Value as Value[Name] extends Callable ? never : Name]: MemberAsJson<Value[Name]> }
            : never;

type Callable = (...given: never[]) => unknown;
type MemberAsJson<Value> = unknown extends Value
  ? Value
  : AsJson<Exclude<Value, undefined>> | Extract<Value, undefined>;

/** The content type: the output of the schema if the component has one, else `Otherwise`. */
export type ContentOf<Output, Otherwise> = Output extends z.ZodType ? AsJson<z.output<Output>> : Otherwise;

/** The types of an agent or a team: its content is a string unless it has an output schema. */
export interface ModelTypes<Id extends string, State extends object, Dependencies extends object, Output> {
  readonly id: Id;
  readonly input: string;
  readonly sessionState: State;
  readonly dependencies: Dependencies;
  readonly content: ContentOf<Output, string>;
}
