/** Types inside a workflow. `npm run typecheck` checks the types; the tests here run the same definitions. */
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  type Agent,
  defineAgent,
  defineTeam,
  defineTool,
  defineWorkflow,
  stepOutput,
  type ToolContext,
  type Workflow,
} from "../../src/index.ts";

const model = "openai:gpt-5.2";
const trip = z.object({ city: z.string(), days: z.number().default(1) });
const plan = z.object({ stops: z.array(z.string()), begins: z.coerce.date() });
const planner = defineAgent({ id: "planner", model, output: plan });
const writer = defineAgent({ id: "writer", model });

test("a step's context has the types of the input and of all previous outputs", () => {
  const workflow = defineWorkflow({
    id: "trip",
    input: trip,
    sessionState: { visited: [] as string[] },
    dependencies: { airline: "Nord" },
    steps: (chain) =>
      chain
        .step({
          name: "request",
          run: ({ input, previous, session, dependencies }) => {
            expectTypeOf(input).toEqualTypeOf<{ city: string; days: number }>();
            expectTypeOf(previous).toEqualTypeOf<{ city: string; days: number }>();
            expectTypeOf(session.state.visited).toEqualTypeOf<string[] | undefined>();
            expectTypeOf(dependencies.airline).toEqualTypeOf<string>();
            return { text: `${input.days} days in ${input.city}`, at: new Date(0) };
          },
        })
        .step({ name: "plan", agent: planner, input: ({ output }) => output("request").text })
        .step({
          name: "count",
          run: async ({ previous, output }) => {
            expectTypeOf(previous).toEqualTypeOf<{ stops: string[]; begins: string }>();
            expectTypeOf(output("request")).toEqualTypeOf<{ text: string; at: string }>();
            // @ts-expect-error: no step has that name.
            output("reqest");
            return previous.stops.length;
          },
        })
        .step({ name: "write", agent: writer, confirm: "Write it?" })
        .step({
          name: "publish",
          output: z.object({ url: z.string() }),
          run: ({ previous, output }) => {
            expectTypeOf(previous).toEqualTypeOf<string | number>();
            expectTypeOf(output("write")).toEqualTypeOf<string | undefined>();
            return { url: `https://trips.example/${output("count").toFixed()}` };
          },
        }),
  });
  expect(workflow.steps.map(({ name }) => name)).toEqual(["request", "plan", "count", "write", "publish"]);
  expectTypeOf<Content<typeof workflow>>().toEqualTypeOf<{ url: string }>();
  expectTypeOf<Types<typeof workflow>["input"]>().toEqualTypeOf<string | { city: string; days?: number | undefined }>();
});

test("a step in a container has the types of steps before the container, and later steps have the types of all its steps", () => {
  const workflow = defineWorkflow({
    id: "article",
    steps: (chain) =>
      chain
        .parallel({
          name: "material",
          steps: (branches) =>
            branches
              .step({ name: "title", run: ({ previous }) => previous.toUpperCase() })
              // @ts-expect-error: a branch cannot read a parallel branch.
              .step({ name: "length", run: ({ output }) => String(output("title")).length }),
        })
        .condition({
          name: "long",
          if: ({ output }) => output("length") > 3,
          steps: (then) => then.step({ name: "cut", run: ({ output }) => output("title").slice(0, 3) }),
          else: (otherwise) => otherwise.step({ name: "keep", run: ({ output }) => ({ kept: output("title") }) }),
        })
        .loop({
          name: "shorten",
          max: 3,
          steps: (pass) =>
            pass.step({
              name: "shorter",
              run: ({ output, previous }) => {
                expectTypeOf(output("cut")).toEqualTypeOf<string | undefined>();
                expectTypeOf(output("shorter")).toEqualTypeOf<unknown>();
                return String(output("shorter") ?? previous).slice(1);
              },
            }),
          until: ({ previous, output }) => previous.length === output("shorter").length,
        })
        .router({
          name: "way",
          choices: (choices) =>
            choices.step({ name: "print", run: () => 1 as const }).step({ name: "post", run: () => "posted" as const }),
          choose: ({ previous }) => (previous === "" ? "print" : ["print", "post"]),
        })
        .step({
          name: "end",
          run: ({ previous, output }) => {
            expectTypeOf(previous).toEqualTypeOf<string | 1>();
            expectTypeOf(output("print")).toEqualTypeOf<1 | undefined>();
            expectTypeOf(output("material")).toEqualTypeOf<string>();
            return stepOutput({ content: { over: true }, stop: true });
          },
        }),
  });
  expect(workflow.steps.map(({ type }) => type)).toEqual(["Parallel", "Condition", "Loop", "Router", "Step"]);
  expectTypeOf<Content<typeof workflow>>().toEqualTypeOf<{ over: boolean }>();
});

test("a router can choose only its own choices, and a step has exactly one of agent, team, workflow and run", () => {
  const step = { name: "one", run: () => "" } as const;
  expect(() =>
    defineWorkflow({
      id: "w",
      steps: (chain) =>
        chain.router({
          name: "way",
          choices: (choices) => choices.step(step),
          // @ts-expect-error: the router has no such choice.
          choose: () => "two",
        }),
    }),
  ).not.toThrow();
  // @ts-expect-error
  expect(() => defineWorkflow({ id: "w", steps: (chain) => chain.step({ ...step, agent: writer }) })).toThrow(
    'Step "one" needs exactly one of agent, team, workflow and run.',
  );
  expect(() => defineWorkflow({ id: "w", steps: (chain) => chain })).toThrow('Workflow "w" has no steps');
});

test("a step with onError skip may return a text, and a workflow from a list of steps has unknown content", () => {
  defineWorkflow({
    id: "w",
    steps: (chain) =>
      chain
        .step({ name: "try", onError: "skip", run: () => 1 })
        .step({ name: "see", run: ({ previous }) => expectTypeOf(previous).toEqualTypeOf<string | number>() }),
  });
  const workflow = defineWorkflow({ id: "w", steps: [writer] });
  expectTypeOf<Content<typeof workflow>>().toEqualTypeOf<unknown>();
});

test("instructions and tools have the types of session state and dependencies", () => {
  interface Library {
    lent: string[];
  }
  const lend = defineTool({
    name: "lend",
    description: "Lends a book",
    input: z.object({ title: z.string() }),
    execute: ({ title }, { session, dependencies }: ToolContext<Library, { branch: string }>) => {
      expectTypeOf(session.state.lent).toEqualTypeOf<string[] | undefined>();
      session.state.lent = [...(session.state.lent ?? []), title];
      return dependencies.branch;
    },
  });
  const librarian = defineAgent({
    id: "librarian",
    model,
    tools: [lend],
    sessionState: { lent: [] as string[] },
    dependencies: { branch: "main" },
    instructions: ({ session, dependencies }) => {
      // @ts-expect-error: the state has no such key.
      session.state.lnet;
      return `${dependencies.branch} ${session.state.lent?.length}`;
    },
  });
  expectTypeOf<Types<typeof librarian>["sessionState"]>().toEqualTypeOf<Library>();
  expectTypeOf<Content<typeof librarian>>().toEqualTypeOf<string>();
  expectTypeOf(librarian).toExtend<Agent>();
  const team = defineTeam({ id: "desk", model, members: [librarian], output: plan });
  expectTypeOf<Content<typeof team>>().toEqualTypeOf<{ stops: string[]; begins: string }>();
  expectTypeOf(defineWorkflow({ id: "w", steps: [team, librarian] })).toExtend<Workflow>();
});

type Types<Component extends { readonly "~types"?: unknown }> = NonNullable<Component["~types"]>;
type Content<Component extends { readonly "~types"?: unknown }> =
  Types<Component> extends { readonly content: infer Content } ? Content : never;
