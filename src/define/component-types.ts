/** What the compiler knows of a component beyond its definition. It exists in types only: the client reads it from the type of a platform. */
import type { z } from "zod";

/** Names and values, where a definition says no more. */
export type Fields = Readonly<Record<string, unknown>>;

/** The types of one component. */
export interface ComponentTypes {
  /** Its id, as a literal type. */
  readonly id: string;
  /** What a run takes: a text, or for a workflow with `input` also what that schema accepts. */
  readonly input: unknown;
  readonly sessionState: object;
  readonly dependencies: object;
  /** What a completed run answers, as the client receives it (JSON). */
  readonly content: unknown;
}

/** A value that carries types. The member is never set. */
export interface Typed<Types> {
  readonly "~types"?: Types | undefined;
}

/** The JSON that a value becomes: what has `toJSON` is what that returns, `undefined` alone is null, functions are left out. */
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

/** Content of a component with a schema for its answer, else `Otherwise`. */
export type ContentOf<Output, Otherwise> = Output extends z.ZodType ? AsJson<z.output<Output>> : Otherwise;

/** The types of an agent or a team: it answers a text, unless it has a schema for its answer. */
export interface ModelTypes<Id extends string, State extends object, Dependencies extends object, Output> {
  readonly id: Id;
  readonly input: string;
  readonly sessionState: State;
  readonly dependencies: Dependencies;
  readonly content: ContentOf<Output, string>;
}
