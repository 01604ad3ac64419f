/** What a compiler would have found, said in a line that helps: Node runs an app without checking its types. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent, definePlatform, defineTeam, defineTool } from "../../src/index.ts";

const model = "openai:gpt-5.2";
const agent = defineAgent({ id: "a", model });
const team = defineTeam({ id: "t", model, members: [agent] });
const tool = { name: "look", description: "Looks", input: z.object({}), execute: () => "" };

const mistakes: [mistake: string, make: () => unknown, message: RegExp][] = [
  [
    "an option that is almost right",
    () => defineAgent({ id: "a", model, instruction: "Be brief." } as never),
    /^Agent "a" has no option "instruction": did you mean "instructions"\?$/,
  ],
  [
    "an option of another library",
    () => defineAgent({ id: "a", model, stopWhen: 3 } as never),
    /^Agent "a" has no option "stopWhen": there are id, name, .*, tools, output\.$/,
  ],
  [
    "an agent's option on a tool",
    () => defineTool({ ...tool, timout: 3 } as never),
    /^Tool "look" has no option "timout": did you mean "timeout"\?$/,
  ],
  ...(
    [
      [
        "an expression of three fields",
        { cronExpr: "* * *" },
        /"\* \* \*", but one has five fields, or six with the seconds last/,
      ],
      ["an expression that is never due", { cronExpr: "0 0 30 2 *" }, /"0 0 30 2 \*", which is none, or never due\.$/],
      ["a text for a payload", { payload: "hello" as never }, /needs an object as its payload\.$/],
    ] as const
  ).map(([mistake, schedule, message]): (typeof mistakes)[number] => {
    const whole = { name: "s", cronExpr: "@daily", endpoint: "/agents/a/runs", ...schedule };
    return [mistake, () => definePlatform({ id: "p", agents: [agent], schedules: [whole] }), message];
  }),
  [
    "a setting that is almost right",
    () => definePlatform({ id: "p", settings: { maxStep: 3 } as never }),
    /^There is no setting "maxStep": did you mean "maxSteps"\?$/,
  ],
  [
    "agents under a wrong name",
    () => definePlatform({ id: "p", agent: [agent] } as never),
    /^Platform "p" has no option "agent": did you mean "agents"\?$/,
  ],
  [
    "an agent among the teams",
    () => definePlatform({ id: "p", teams: [agent] } as never),
    /^Platform "p": number 1 of its teams was not made by defineTeam\. It is of kind agent\.$/,
  ],
  [
    "every origin at once",
    () => definePlatform({ id: "p", corsOrigins: ["*"] }),
    /^Platform "p": corsOrigins takes no "\*", because pages may call with credentials: name each origin/,
  ],
  [
    "an origin with a path",
    () => definePlatform({ id: "p", corsOrigins: ["http://localhost:5173", "https://X.example:443/"] }),
    /"https:\/\/X\.example:443\/" in corsOrigins is not an origin .*: write "https:\/\/x\.example"\.$/,
  ],
  [
    "a host instead of an origin",
    () => definePlatform({ id: "p", corsOrigins: ["localhost:5173"] }),
    /"localhost:5173" in corsOrigins is not an origin .*: write "https:\/\/console\.example"\.$/,
  ],
  [
    "a text instead of a list of origins",
    () => definePlatform({ id: "p", corsOrigins: "https://x.example" } as never),
    /^Platform "p": corsOrigins must be a list of origins\.$/,
  ],
  [
    "a member that is not there",
    () => defineTeam({ id: "t", model, members: [agent, undefined] } as never),
    /^Team "t": number 2 of its members was not made by defineAgent or defineTeam\.$/,
  ],
  [
    "tools as a record",
    () => defineAgent({ id: "a", model, tools: { tool } } as never),
    /^Agent "a": tools must be a list of what defineTool makes\.$/,
  ],
  [
    "a bare tool",
    () => defineAgent({ id: "a", model, tools: [tool] } as never),
    /^Agent "a": number 1 of its tools was not made by defineTool\.$/,
  ],
  [
    "no description",
    () => defineTool({ ...tool, description: undefined } as never),
    /^Tool "look": give it a description/,
  ],
  [
    "no function",
    () => defineTool({ ...tool, execute: undefined } as never),
    /^Tool "look" has no function execute\.$/,
  ],
  ["JSON Schema as input", () => defineTool({ ...tool, input: { type: "object" } } as never), /object schema of zod 4/],
  ["a text as input", () => defineTool({ ...tool, input: z.string() } as never), /object schema of zod 4/],
];

test.each(mistakes)("%s", (_, make, message) => {
  expect(make).toThrow(
    expect.objectContaining({ name: "ConfigurationError", message: expect.stringMatching(message) }),
  );
});

test("a definition may be spread into another", () => {
  expect(defineAgent({ ...agent, id: "b" }).id).toBe("b");
  expect(defineTeam({ ...team, id: "u" }).mode).toBe("coordinate");
});
