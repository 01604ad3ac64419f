/** Chained steps: each step has types for the workflow's input and the contents of the steps before it. */
import type { z } from "zod";
import type { Agent } from "../agent.ts";
import type { AsJson, ContentOf, Typed } from "../component-types.ts";
import type { RemoteAgent, RemoteTeam, RemoteWorkflow } from "../remote.ts";
import type { Team } from "../team.ts";
import { condition, loop, parallel, router, type StepReturn, step, steps } from "./steps.ts";
import type {
  CommonStepOptions,
  LeafOptions,
  OneOf,
  StepFunction,
  StepNode,
  StepOptions,
  StepTypes,
  Workflow,
} from "./types.ts";

/** The types that are known at one position of a chain. */
export interface ChainTypes extends StepTypes {
  /** Contents of the chain's own steps and of the steps in its containers, by name. */
  readonly made: unknown;
  /** Names of the chain's own steps. */
  readonly names: string;
  /** Contents with which a step can end the workflow early. */
  readonly ends: unknown;
  /** Whether the steps run in parallel or are alternatives, so that no step knows another one's content. */
  readonly isParallel: boolean;
}

/** The types after one more step. */
interface After<Known extends ChainTypes, Name extends string, Content, Made, Ends = never> {
  readonly input: Known["input"];
  readonly sessionState: Known["sessionState"];
  readonly dependencies: Known["dependencies"];
  readonly isParallel: Known["isParallel"];
  readonly names: Known["names"] | Name;
  readonly ends: Known["ends"] | Ends;
  readonly made: Known["made"] & Made;
  readonly previous: Known["isParallel"] extends true ? Known["previous"] : Content;
  readonly outputs: Known["isParallel"] extends true ? Known["outputs"] : Known["outputs"] & Made;
}

/** The types at the start of a chain inside a container. */
interface Inside<Known extends ChainTypes, IsParallel extends boolean> {
  readonly input: Known["input"];
  readonly sessionState: Known["sessionState"];
  readonly dependencies: Known["dependencies"];
  readonly previous: Known["previous"];
  readonly outputs: Known["outputs"];
  readonly isParallel: IsParallel;
  readonly names: never;
  readonly ends: never;
  readonly made: unknown;
}

/** The types for a function of the step `Name`; in a loop they include the step's own last content. */
interface OwnTypes<Known extends ChainTypes, Name extends string> extends StepTypes {
  readonly input: Known["input"];
  readonly sessionState: Known["sessionState"];
  readonly dependencies: Known["dependencies"];
  readonly previous: Known["previous"];
  readonly outputs: Known["outputs"] & { readonly [Own in Name]: unknown };
}

/** Options that ask a person, who may skip the step. */
interface Asking<Confirm, Review, UserInput, OnError> {
  readonly confirm?: Confirm;
  readonly review?: Review;
  readonly userInput?: UserInput;
  readonly onError?: OnError;
}

type IsLeftOut<Confirm, Review, UserInput, OnError> = [Confirm, Review, UserInput] extends [
  false | undefined,
  false | undefined,
  undefined,
]
  ? "pause" extends OnError
    ? true
    : false
  : true;

/** Content that a step passes on: also the previous content if the step can be skipped, and a string if an error can be skipped. */
type Handed<Before, Content, LeftOut, OnError> =
  | Content
  | (LeftOut extends true ? Before : never)
  | ("skip" extends OnError ? string : never);

type Made<Name extends string, Content, LeftOut, OnError> = {
  readonly [Own in Name]:
    | Content
    | (LeftOut extends true ? undefined : never)
    | ("skip" extends OnError ? string : never);
};

type Optional<Outputs> = { readonly [Name in keyof Outputs]: Outputs[Name] | undefined };

/** Content of a function's return value. */
type Returned<Result> = Unwrapped<Awaited<Result>>;
type Unwrapped<Value> = unknown extends Value
  ? Value
  : Value extends StepReturn<infer Content>
    ? AsJson<Content>
    : AsJson<Value>;
/** Content with which a function can end the workflow early. */
type EndOf<Result> = Unwrapped<Extract<Awaited<Result>, StepReturn>>;
type ContentOfTyped<Component> =
  Component extends Typed<infer Types>
    ? Types extends { readonly content: infer Content }
      ? Content
      : unknown
    : unknown;

type Confirmed = boolean | string;
type Common<Reject extends "skip" | "cancel" | "else", Confirm> = Omit<
  CommonStepOptions<Reject>,
  "name" | "confirm"
> & {
  readonly confirm?: Confirm;
};
type Leaf<Known extends StepTypes, Confirm, Review, UserInput, OnError> = Omit<
  LeafOptions<Known>,
  "name" | "output" | "confirm" | "review" | "userInput" | "onError"
> &
  Asking<Confirm, Review, UserInput, OnError>;

type Executors<Component> = {
  readonly agent: Component & (Agent | RemoteAgent);
  readonly team: Component & (Team | RemoteTeam);
  readonly workflow: Component & (Workflow | RemoteWorkflow);
};

/** A chain of steps. Every method returns the chain with one more step. */
export interface StepChain<Known extends ChainTypes = ChainTypes> extends Typed<Known> {
  readonly nodes: readonly StepNode[];

  /** Adds a function. Its return value is the content; return `stepOutput` for more than content. */
  step<
    const Name extends string,
    Result,
    Output extends z.ZodType | undefined = undefined,
    const Confirm extends Confirmed | undefined = undefined,
    const Review extends Confirmed | undefined = undefined,
    const UserInput extends LeafOptions["userInput"] = undefined,
    const OnError extends LeafOptions["onError"] = undefined,
  >(
    options: Leaf<OwnTypes<Known, Name>, Confirm, Review, UserInput, OnError> & {
      readonly name: Name;
      /** Schema that the content is validated against. */
      readonly output?: Output;
      readonly run: StepFunction<Result, OwnTypes<Known, Name>>;
    } & { readonly [Other in keyof Executors<unknown>]?: undefined },
  ): StepChain<
    After<
      Known,
      Name,
      Handed<
        Known["previous"],
        ContentOf<Output, Returned<Result>>,
        IsLeftOut<Confirm, Review, UserInput, OnError>,
        OnError
      >,
      Made<Name, ContentOf<Output, Returned<Result>>, IsLeftOut<Confirm, Review, UserInput, OnError>, OnError>,
      EndOf<Result>
    >
  >;

  /** Adds an agent, a team or another workflow. */
  step<
    const Name extends string,
    Component extends Agent | Team | Workflow | RemoteAgent | RemoteTeam | RemoteWorkflow,
    const Confirm extends Confirmed | undefined = undefined,
    const Review extends Confirmed | undefined = undefined,
    const UserInput extends LeafOptions["userInput"] = undefined,
    const OnError extends LeafOptions["onError"] = undefined,
  >(
    options: Leaf<OwnTypes<Known, Name>, Confirm, Review, UserInput, OnError> & {
      readonly name: Name;
      readonly run?: undefined;
    } & OneOf<Executors<Component>>,
  ): StepChain<
    After<
      Known,
      Name,
      Handed<Known["previous"], ContentOfTyped<Component>, IsLeftOut<Confirm, Review, UserInput, OnError>, OnError>,
      Made<Name, ContentOfTyped<Component>, IsLeftOut<Confirm, Review, UserInput, OnError>, OnError>
    >
  >;

  /** Adds a group of steps. Its content is the content of its last step. */
  steps<const Name extends string, Inner extends ChainTypes, const Confirm extends Confirmed | undefined = undefined>(
    options: Common<"skip" | "cancel", Confirm> & {
      readonly name: Name;
      readonly steps: (chain: StepChain<Inside<Known, false>>) => StepChain<Inner>;
    },
  ): StepChain<InContainer<Known, Name, Inner, Inner["previous"], IsLeftOut<Confirm, undefined, undefined, undefined>>>;

  /**
   * Adds steps that run in parallel. Each receives the content of the step before the block. The block's content is a string with a heading
   * for each.
   */
  parallel<
    const Name extends string,
    Inner extends ChainTypes,
    const Confirm extends Confirmed | undefined = undefined,
  >(
    options: Common<"skip" | "cancel", Confirm> & {
      readonly name: Name;
      readonly steps: (branches: StepChain<Inside<Known, true>>) => StepChain<Inner>;
    },
  ): StepChain<InContainer<Known, Name, Inner, string, IsLeftOut<Confirm, undefined, undefined, undefined>>>;

  /** Adds a condition: it runs `steps` when `if` returns true, otherwise the steps of `else`. */
  condition<
    const Name extends string,
    Inner extends ChainTypes,
    Otherwise extends ChainTypes = Inside<Known, false>,
    const Confirm extends Confirmed | undefined = undefined,
  >(
    options: Common<"skip" | "cancel" | "else", Confirm> & {
      readonly name: Name;
      readonly if: StepFunction<boolean, Known>;
      readonly steps: (chain: StepChain<Inside<Known, false>>) => StepChain<Inner>;
      readonly else?: (chain: StepChain<Inside<Known, false>>) => StepChain<Otherwise>;
    },
  ): StepChain<
    After<
      Known,
      Name,
      Inner["previous"] | Otherwise["previous"] | LeftOutContent<Known, Confirm>,
      Optional<Inner["made"]> &
        Optional<Otherwise["made"]> & {
          readonly [Own in Name]: Inner["previous"] | Otherwise["previous"] | LeftOutName<Confirm>;
        },
      Inner["ends"] | Otherwise["ends"]
    >
  >;

  /**
   * Adds a loop: it repeats its steps until `until` returns true, at most `max` times. Write `until` after `steps`, so that it has their
   * types.
   */
  loop<const Name extends string, Inner extends ChainTypes, const Confirm extends Confirmed | undefined = undefined>(
    options: Common<"skip" | "cancel", Confirm> & {
      readonly name: Name;
      readonly max: number;
      readonly steps: (chain: StepChain<Inside<Again<Known>, false>>) => StepChain<Inner>;
      readonly until?: StepFunction<boolean, Inner>;
    },
  ): StepChain<InContainer<Known, Name, Inner, Inner["previous"], IsLeftOut<Confirm, undefined, undefined, undefined>>>;

  /**
   * Adds a router: it runs one or more of its choices, selected by name. Without `choose`, a person selects; `several` lets the person
   * select more than one.
   */
  router<const Name extends string, Inner extends ChainTypes, const Confirm extends Confirmed | undefined = undefined>(
    options: Common<"skip" | "cancel", Confirm> & {
      readonly name: Name;
      readonly choices: (choices: StepChain<Inside<Known, true>>) => StepChain<Inner>;
      readonly choose?: StepFunction<Inner["names"] | readonly Inner["names"][], Known>;
      readonly several?: boolean;
    },
  ): StepChain<
    After<
      Known,
      Name,
      Known["previous"] | Inner["made"][Inner["names"] & keyof Inner["made"]],
      Optional<Inner["made"]> & { readonly [Own in Name]: unknown },
      Inner["ends"]
    >
  >;
}

type LeftOutContent<Known extends ChainTypes, Confirm> =
  IsLeftOut<Confirm, undefined, undefined, undefined> extends true ? Known["previous"] : never;
type LeftOutName<Confirm> = IsLeftOut<Confirm, undefined, undefined, undefined> extends true ? undefined : never;

/** The first step of an iteration receives the content of the previous iteration, whose type is unknown before the loop is written. */
type Again<Known extends ChainTypes> = Omit<Known, "previous"> & { readonly previous: unknown };

/** The types after a container that runs all its steps unless it is skipped. */
type InContainer<Known extends ChainTypes, Name extends string, Inner extends ChainTypes, Content, LeftOut> = After<
  Known,
  Name,
  Content | (LeftOut extends true ? Known["previous"] : never),
  (LeftOut extends true ? Optional<Inner["made"]> : Inner["made"]) & {
    readonly [Own in Name]: Content | (LeftOut extends true ? undefined : never);
  },
  Inner["ends"]
>;

/** A function that chains steps. */
export type ChainedSteps = (chain: never) => StepChain;

/** Returns the steps that the function of a chain makes. */
export function stepsOf(chained: unknown): readonly StepNode[] {
  return (chained as (chain: unknown) => StepChain)(new Chain([])).nodes;
}

type Containers = "steps" | "choices" | "else";
type Chained<Options> = {
  [Name in keyof Options]: Name extends Containers ? ChainedSteps : Options[Name];
};

class Chain {
  readonly nodes: readonly StepNode[];

  constructor(nodes: readonly StepNode[]) {
    this.nodes = nodes;
  }

  step(options: StepOptions): Chain {
    return this.#add(step(options));
  }

  steps(options: Chained<Parameters<typeof steps>[0]>): Chain {
    return this.#add(steps({ ...options, steps: stepsOf(options.steps) }));
  }

  parallel(options: Chained<Parameters<typeof parallel>[0]>): Chain {
    return this.#add(parallel({ ...options, steps: stepsOf(options.steps) }));
  }

  condition(options: Chained<Parameters<typeof condition>[0]>): Chain {
    const { else: otherwise, ...rest } = options;
    return this.#add(
      condition({ ...rest, steps: stepsOf(options.steps), ...(otherwise && { else: stepsOf(otherwise) }) }),
    );
  }

  loop(options: Chained<Parameters<typeof loop>[0]>): Chain {
    return this.#add(loop({ ...options, steps: stepsOf(options.steps) }));
  }

  router(options: Chained<Parameters<typeof router>[0]>): Chain {
    return this.#add(router({ ...options, choices: stepsOf(options.choices) }));
  }

  #add(node: StepNode): Chain {
    return new Chain([...this.nodes, node]);
  }
}
