/** Errors of the define functions for wrong options. Node runs an app without checking its types, so these errors replace the compiler's. */
import { expect, test } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  definePlatform,
  defineTeam,
  defineTool,
  defineWorkflow,
  mcpServer,
  step,
} from "../../src/index.ts";

const model = "openai:gpt-5.2";
const agent = defineAgent({ id: "a", model });
const team = defineTeam({ id: "t", model, members: [agent] });
const tool = { name: "look", description: "Looks", input: z.object({}), execute: () => "" };

function exactly(message: string): RegExp {
  return new RegExp(`^${message.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
}

const mistakes: [mistake: string, make: () => unknown, message: RegExp][] = [
  [
    "a misspelt option",
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
  ...(["aiUi", "openai"] as const).map((name): (typeof mistakes)[number] => [
    `an object for ${name}, which is a switch`,
    () => definePlatform({ id: "p", agents: [agent], [name]: {} } as never),
    exactly(`Platform "p": ${name} must be true or false.`),
  ]),
  ...(
    [
      [
        "a misspelt option",
        { url: "https://m.example", header: {} },
        /^MCP server "m\.example" has no option "header": did you mean "headers"\?$/,
      ],
      ["neither a url nor a command", { name: "m" }, /^MCP server "m": give it either a url or a command\.$/],
      ["both a url and a command", { url: "https://m.example", command: "m" }, /^MCP server "m": give it either/],
      ["a url of a file", { url: "file:///etc/passwd" }, /url must be an http or https address/],
      ["a url with a password", { url: "https://a:b@m.example" }, /url must not hold a password: give it headers\.$/],
      ["headers of a program", { command: "m", headers: {} }, /^MCP server "m": headers needs a url\.$/],
      ["arguments of a url", { url: "https://m.example", args: [] }, /: args needs a command\.$/],
      ["a filter that is a list", { command: "m", tools: ["a"] }, /tools must be an object, for instance/],
      ["a text for names", { command: "m", confirm: "all" }, /confirm must be a list of names of tools, or true\.$/],
      ["a prefix that models reject", { command: "m", prefix: "a." }, /prefix must have letters, digits/],
    ] as const
  ).map(([mistake, options, message]): (typeof mistakes)[number] => [
    `an MCP server with ${mistake}`,
    () => mcpServer(options as never),
    message,
  ]),
  [
    "two MCP servers with one name",
    () => defineAgent({ id: "a", model, tools: [mcpServer({ command: "m" }), mcpServer({ command: "/bin/m" })] }),
    /^Agent "a" has two MCP servers named "m": give each a name of its own\.$/,
  ],
  [
    "a misspelt setting",
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
    "a suggestion for no component",
    () => definePlatform({ id: "p", agents: [agent], quickPrompts: { b: ["Hello"] } }),
    /^Platform "p": quickPrompts names "b", which is not a component of the platform\.$/,
  ],
  [
    "a suggestion without text",
    () => definePlatform({ id: "p", agents: [agent], quickPrompts: { a: ["Hello", " "] } }),
    /^Platform "p": quickPrompts of "a" must be a list of messages\.$/,
  ],
  [
    "an undefined member",
    () => defineTeam({ id: "t", model, members: [agent, undefined] } as never),
    /^Team "t": number 2 of its members was not made by defineAgent or defineTeam\.$/,
  ],
  [
    "tools as a record",
    () => defineAgent({ id: "a", model, tools: { tool } } as never),
    /^Agent "a": tools must be a list of what defineTool or mcpServer makes\.$/,
  ],
  [
    "a tool that defineTool did not make",
    () => defineAgent({ id: "a", model, tools: [tool] } as never),
    /^Agent "a": number 1 of its tools was not made by defineTool or mcpServer\.$/,
  ],
  [
    "a tool without a description",
    () => defineTool({ ...tool, description: undefined } as never),
    /^Tool "look": give it a description/,
  ],
  [
    "a tool without execute",
    () => defineTool({ ...tool, execute: undefined } as never),
    /^Tool "look" has no function execute\.$/,
  ],
  ...(
    [
      [
        "agent's onDefinitionChange",
        { onDefinitionChange: "ignore" },
        "onDefinitionChange must be one of resume, fail, ask",
      ],
      ["agent's sessionPolicy", { sessionPolicy: "reject" }, "sessionPolicy must be one of queue, parallel"],
      ["agent's name", { name: 3 }, "its name must be a text that is not empty"],
      ["agent's history", { history: 5 }, "history must be an object, for instance { runs: 5 }"],
    ] as const
  ).flatMap(([mistake, options, message]): (typeof mistakes)[number][] => [
    [
      `an unknown ${mistake}`,
      () => defineAgent({ id: "a", model, ...options } as never),
      exactly(`Agent "a": ${message}.`),
    ],
  ]),
  [
    "a workflow's unknown onDefinitionChange",
    () => defineWorkflow({ id: "w", steps: [agent], onDefinitionChange: "ignore" } as never),
    exactly('Workflow "w": onDefinitionChange must be one of resume, fail, ask.'),
  ],
  [
    "a workflow's unknown sessionPolicy",
    () => defineWorkflow({ id: "w", steps: [agent], sessionPolicy: null } as never),
    exactly('Workflow "w": sessionPolicy must be one of queue, parallel.'),
  ],
  ...(
    [
      [{ timeout: "5 s" }, "timeout must be a number above 0"],
      [{ timeout: 0 }, "timeout must be a number above 0"],
      [{ onInterrupted: "retry" }, "onInterrupted must be one of tell-model, fail, ask"],
      [{ idempotent: "yes" }, "idempotent must be true or false"],
      [{ stopAfterCall: 1 }, "stopAfterCall must be true or false"],
      [{ confirm: "Sure?" }, "confirm must be true or false"],
      [{ external: "no" }, "external must be true or false"],
    ] as const
  ).map(([options, message]): (typeof mistakes)[number] => [
    `a tool with ${JSON.stringify(options)}`,
    () => defineTool({ ...tool, ...options } as never),
    exactly(`Tool "look": ${message}.`),
  ]),
  ...(
    [
      [{ onError: "retry" }, "onError must be one of fail, skip, pause"],
      [{ timeout: -1 }, "timeout must be a number above 0"],
      [{ retries: 3 }, "retries must be an object, for instance { times: 2 }"],
      [{ retries: {} }, "retries.times must be a whole number, 0 or more"],
      [{ retries: { times: 1, delay: "1s" } }, "retries.delay must be a number, 0 or more"],
      [{ retries: { times: 1, delay: -1 } }, "retries.delay must be a number, 0 or more"],
      [{ retries: { times: 1, factor: 0 } }, "retries.factor must be a number above 0"],
    ] as const
  ).map(([options, message]): (typeof mistakes)[number] => [
    `a step with ${JSON.stringify(options)}`,
    () => step({ name: "s", agent, ...options } as never),
    exactly(`Step "s": ${message}.`),
  ]),
  ...[{ signingKey: null }, { signingKey: "secret" }].map((a2a): (typeof mistakes)[number] => [
    `A2A with ${JSON.stringify(a2a)}`,
    () => definePlatform({ id: "p", a2a } as never),
    exactly('Platform "p": a2a: signingKey must be a private JSON Web Key that names its alg and its kid.'),
  ]),
  [
    "A2A with null as its provider",
    () => definePlatform({ id: "p", a2a: { provider: null } } as never),
    exactly('Platform "p": a2a: provider must have an organization and a url.'),
  ],
  ["JSON Schema as input", () => defineTool({ ...tool, input: { type: "object" } } as never), /object schema of zod 4/],
  ["a text as input", () => defineTool({ ...tool, input: z.string() } as never), /object schema of zod 4/],
];

test.each(mistakes)("a definition with a mistake throws a ConfigurationError: %s", (_, make, message) => {
  expect(make).toThrow(
    expect.objectContaining({ name: "ConfigurationError", message: expect.stringMatching(message) }),
  );
});

test("a definition can be spread into another definition", () => {
  expect(defineAgent({ ...agent, id: "b" }).id).toBe("b");
  expect(defineTeam({ ...team, id: "u" }).mode).toBe("coordinate");
});

test.each([undefined, null])("a schedule keeps its defaults for fields that are %s", (nothing) => {
  const plain = { name: "s", cronExpr: "@daily", endpoint: "/agents/a/runs" };
  const optional = [
    "timezone",
    "method",
    "payload",
    "timeoutSeconds",
    "maxRetries",
    "overlap",
    "catchUp",
    "pauseAfter",
  ];
  const fields = Object.fromEntries(optional.map((name) => [name, nothing]));
  const plansOf = (schedule: object) => definePlatform({ id: "p", schedules: [schedule] } as never).schedules;
  expect(plansOf({ ...plain, ...fields })).toEqual(plansOf(plain));
});
