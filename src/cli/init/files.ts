import type { Project } from "./choices.ts";
import { dockerfile, environment, readme } from "./operation.ts";
import { agents, app, model, testOfAgents, tools } from "./sources.ts";

/** Versions of the packages of a project. A test compares them with our own. */
export const versions = {
  zod: "^4.6.7",
  typescript: "^7.0.2",
  "@types/node": "^24.0.0",
  "@ai-sdk/openai": "^4.0.0",
  "@ai-sdk/anthropic": "^4.0.0",
  "@ai-sdk/openai-compatible": "^3.0.0",
} as const;

/** Returns the files of a project by their path. */
export function projectFiles(project: Project): Readonly<Record<string, string>> {
  return {
    "package.json": json(packageJson(project)),
    "tsconfig.json": json(tsconfig),
    "src/app.ts": app,
    "src/agents.ts": agents(project),
    "src/model.ts": model(project.model),
    "src/tools.ts": tools,
    "test/agents.test.ts": testOfAgents,
    ".env": environment(project, "local"),
    ".env.example": environment(project, "example"),
    ".gitignore": "node_modules\n.env\n.troupe\n",
    ".dockerignore": "node_modules\n.env\n.troupe\n.git\n",
    Dockerfile: dockerfile,
    ...(project.database === "postgres" ? { "compose.yaml": compose(project) } : {}),
    "README.md": readme(project),
  };
}

function packageJson({ name, package: source, model: provider, auth }: Project): object {
  const { zod, typescript, "@types/node": nodeTypes } = versions;
  return {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=22.18" },
    scripts: {
      start: "troupe start src/app.ts -e .env",
      dev: "troupe dev src/app.ts -e .env",
      test: "node --test test/*.test.ts",
      typecheck: "tsc",
      ...(auth === "jwt" ? { token: "troupe token" } : {}),
    },
    dependencies: {
      ...(provider === "scripted" ? {} : { [`@ai-sdk/${provider}`]: versions[`@ai-sdk/${provider}`] }),
      troupe: source,
      zod,
    },
    devDependencies: { "@types/node": nodeTypes, typescript },
  };
}

/** Node runs TypeScript without a build, and leaves types out: these options allow only what it can run. */
const tsconfig = {
  compilerOptions: {
    target: "es2024",
    module: "nodenext",
    types: ["node"],
    strict: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ["src", "test"],
};

function compose({ name }: Project): string {
  return `# Postgres for development.
services:
  postgres:
    image: postgres:17
    environment:
      POSTGRES_USER: troupe
      POSTGRES_PASSWORD: troupe
      POSTGRES_DB: ${name}
    ports: ["127.0.0.1:5432:5432"]
    volumes: ["postgres:/var/lib/postgresql/data"]
    healthcheck:
      test: [CMD-SHELL, "pg_isready --username troupe --dbname ${name}"]
      interval: 2s
      timeout: 3s
      retries: 30
volumes:
  postgres:
`;
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
