/** The files of a project that `troupe init` writes. */

/** Where the models come from. `scripted` needs no key and no network. */
export const providers = ["openai", "anthropic", "openai-compatible", "scripted"] as const;
/** Callers that the server accepts: every client on the machine, the bearer of a key, or bearers of JSON Web Tokens. */
export const authModes = ["none", "key", "jwt"] as const;
export const databases = ["sqlite", "postgres"] as const;

/** The choices of a project. */
export interface ProjectChoices {
  /** Name of the package and id of the platform. */
  readonly name: string;
  readonly model: (typeof providers)[number];
  readonly auth: (typeof authModes)[number];
  readonly database: (typeof databases)[number];
  /** Version or address of the package `troupe`. */
  readonly troupe: string;
  /** The key of the mode `key`. */
  readonly key: string;
}

interface Provider {
  /** The expression of the model. */
  readonly model: string;
  readonly imports: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly variables: string;
}

const providerFiles: Readonly<Record<ProjectChoices["model"], Provider>> = {
  openai: {
    ...{ model: '"openai:gpt-5.2"', imports: "", packages: { "@ai-sdk/openai": "^4.0.0" } },
    variables: "# The key of the model's provider.\nOPENAI_API_KEY=\n",
  },
  anthropic: {
    ...{ model: '"anthropic:claude-sonnet-5"', imports: "", packages: { "@ai-sdk/anthropic": "^4.0.0" } },
    variables: "# The key of the model's provider.\nANTHROPIC_API_KEY=\n",
  },
  "openai-compatible": {
    model:
      'createOpenAICompatible({ name: "local", baseURL: process.env.MODEL_URL ?? "http://127.0.0.1:11434/v1" })(\n  process.env.MODEL_NAME ?? "llama3.2",\n)',
    imports: 'import { createOpenAICompatible } from "@ai-sdk/openai-compatible";\n',
    packages: { "@ai-sdk/openai-compatible": "^3.0.0" },
    variables:
      "# An OpenAI-compatible server of models, such as Ollama or vLLM.\nMODEL_URL=http://127.0.0.1:11434/v1\nMODEL_NAME=llama3.2\n",
  },
  scripted: {
    model:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is code
      'scriptedModel(({ results: [time] }) =>\n  time ? `It is ${time.text}.` : { toolCalls: [{ name: "get_time", input: { timeZone: "UTC" } }] },\n)',
    imports: 'import { scriptedModel } from "troupe/testing";\n',
    packages: {},
    variables: "",
  },
};

/** The project's files: contents by path. */
export function projectFiles(choices: ProjectChoices): Readonly<Record<string, string>> {
  return {
    "package.json": packageJson(choices),
    "tsconfig.json": tsconfig,
    "app.ts": app(choices),
    "assistant.ts": assistant,
    "test/assistant.test.ts": test,
    ".env": variables(choices, choices.key),
    ".env.example": variables(choices, ""),
    ".gitignore": "node_modules\n.env\n.troupe\n",
    ".dockerignore": "node_modules\n.env\n.troupe\n.git\n",
    Dockerfile: dockerfile,
    ...(choices.database === "postgres" && { "compose.yaml": compose }),
    "README.md": readme(choices),
  };
}

function packageJson({ name, model, auth, troupe }: ProjectChoices): string {
  const content = {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=22.18" },
    scripts: {
      ...(auth === "jwt" && { prestart: "troupe token -e .env" }),
      start: "troupe start app.ts -e .env",
      dev: "troupe dev app.ts -e .env",
      test: "node --test test/*.test.ts",
      typecheck: "tsc",
      doctor: "troupe doctor app.ts -e .env",
    },
    dependencies: { ...providerFiles[model].packages, troupe, zod: "^4.0.0" },
    devDependencies: { "@types/node": "^24.0.0", typescript: "^6.0.0 || ^7.0.0" },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

const tsconfig = `${JSON.stringify(
  {
    compilerOptions: {
      ...{ target: "es2024", lib: ["es2024", "dom"], module: "nodenext", types: ["node"] },
      ...{ strict: true, noEmit: true, skipLibCheck: true },
      // Node runs the sources as they are.
      ...{ erasableSyntaxOnly: true, verbatimModuleSyntax: true, allowImportingTsExtensions: true },
    },
    include: ["*.ts", "test"],
  },
  null,
  2,
)}\n`;

function app({ name, model }: ProjectChoices): string {
  const provider = providerFiles[model];
  return `${provider.imports}import { definePlatform } from "troupe";
import { createAssistant } from "./assistant.ts";

const model = ${provider.model};

export default definePlatform({
  id: ${JSON.stringify(name)},
  agents: [createAssistant(model)],
  example: "What time is it in Paris?",
});
`;
}

const assistant = `import { type Agent, defineAgent, defineTool, type Model } from "troupe";
import { z } from "zod";

const getTime = defineTool({
  name: "get_time",
  description: "The current time in a time zone",
  input: z.object({ timeZone: z.string().describe("An IANA name, such as Europe/Paris") }),
  execute: ({ timeZone }) => new Date().toLocaleString("en-GB", { timeZone }),
});

/** The model is a parameter, so that tests can script it. */
export function createAssistant(model: Model): Agent {
  return defineAgent({
    id: "assistant",
    name: "Assistant",
    model,
    instructions: "Answer in one or two sentences. Use get_time for questions about the time.",
    tools: [getTime],
    history: { runs: 10 },
  });
}
`;

const test = `import assert from "node:assert/strict";
import { test } from "node:test";
import { scriptedModel } from "troupe/testing";
import { createAssistant } from "../assistant.ts";

test("the assistant answers with the time that its tool returns", async () => {
  const model = scriptedModel([
    { toolCalls: [{ name: "get_time", input: { timeZone: "Europe/Paris" } }] },
    "It is time for lunch.",
  ]);
  const run = await createAssistant(model).run("What time is it in Paris?");
  const { status, content } = await run.result();
  assert.equal(status, "COMPLETED");
  assert.equal(content, "It is time for lunch.");
  assert.equal(model.calls.length, 2);
});
`;

function variables({ model, auth, database }: ProjectChoices, key: string): string {
  return [
    providerFiles[model].variables,
    auth === "key"
      ? `# Clients send it as "Authorization: Bearer …". Whoever has it may do everything.\nOS_SECURITY_KEY=${key}\n`
      : "",
    auth === "jwt"
      ? "# Keys that verify tokens. The command troupe token makes these for development; in production, use those of your identity provider.\nJWT_JWKS_FILE=.troupe/token-keys.json\n"
      : "",
    database === "postgres" ? "DATABASE_URL=postgres://troupe:troupe@127.0.0.1:5432/troupe\n" : "",
  ]
    .filter(Boolean)
    .join("\n");
}

const dockerfile = `FROM node:24-slim
WORKDIR /app
COPY package*.json ./
RUN npm install --omit=dev
COPY . .
RUN mkdir /data && chown node:node /data
ENV NODE_ENV=production HOST=0.0.0.0 TROUPE_DATA_DIR=/data
VOLUME /data
EXPOSE 7777
USER node
CMD ["npx", "troupe", "start", "app.ts"]
`;

const compose = `services:
  database:
    image: postgres:18
    environment:
      POSTGRES_USER: troupe
      POSTGRES_PASSWORD: troupe
      POSTGRES_DB: troupe
    ports: ["127.0.0.1:5432:5432"]
    volumes: ["database:/var/lib/postgresql"]
volumes:
  database:
`;

const credentials: Readonly<Record<ProjectChoices["auth"], string>> = {
  none: "The server listens on this machine only, and every client on it may do everything. Turn authorization on before you deploy it.",
  key: "`TOKEN` is the value of `OS_SECURITY_KEY` in `.env`.",
  jwt: "`TOKEN` is the token for development that `npm start` prints. In production, verify the tokens of your identity provider.",
};

function readme({ name, auth, database, model }: ProjectChoices): string {
  const key = /^(\w+)=$/m.exec(providerFiles[model].variables)?.[1];
  const header = auth === "none" ? "" : ' -H "Authorization: Bearer $TOKEN"';
  return `# ${name}

An agent platform on Troupe.

\`\`\`sh
npm install
${database === "postgres" ? "docker compose up -d --wait\n" : ""}npm start
\`\`\`
${key ? `\nSet \`${key}\` in \`.env\` first.\n` : ""}
Then, in another terminal:

\`\`\`sh
curl -N http://127.0.0.1:7777/agents/assistant/runs${header} -d message='What time is it in Paris?'
\`\`\`

The console is at http://127.0.0.1:7777/console, and the API reference at http://127.0.0.1:7777/docs. ${credentials[auth]}

| command | what it does |
|---|---|
| \`npm run dev\` | restarts the server when a file changes |
| \`npm test\` | runs the tests, without a model provider |
| \`npm run typecheck\` | checks the types |
| \`npm run doctor\` | checks the configuration |

\`app.ts\` is the platform, \`assistant.ts\` its agent with a tool. \`docker build -t ${name} .\` makes an image${auth === "none" ? ", which needs authorization to start" : ""}.
`;
}
