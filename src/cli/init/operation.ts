import type { Project } from "./choices.ts";

/** Files with which a project is configured, built into an image and explained. */

/** Returns the file of variables: with the values for this machine, or as the example that belongs into Git. */
export function environment(project: Project, kind: "local" | "example"): string {
  const { name, model, auth, database, securityKey } = project;
  const lines = ["# Variables of npm start and npm run dev. Variables that are already set take precedence."];
  if (kind === "example") lines.push("# Copy this file to .env, which Git ignores.");
  if (model === "openai") lines.push("OPENAI_API_KEY=", "# MODEL=gpt-5.2");
  if (model === "anthropic") lines.push("ANTHROPIC_API_KEY=", "# MODEL=claude-sonnet-5");
  if (model === "openai-compatible") {
    lines.push("# Address of a server with OpenAI's interface, and its model. OPENAI_API_KEY is optional.");
    lines.push("OPENAI_BASE_URL=http://127.0.0.1:11434/v1", "MODEL=gpt-5.2", "# OPENAI_API_KEY=");
  }
  if (auth === "key") {
    lines.push("# Clients send this key: Authorization: Bearer KEY. Keep it secret.");
    lines.push(`OS_SECURITY_KEY=${kind === "local" ? securityKey : ""}`);
  }
  if (auth === "jwt") {
    lines.push(
      "# The key set for development, which npm run token creates. In production, specify one of these instead:",
    );
    lines.push("# JWT_VERIFICATION_KEY, a public key in PEM, or JWT_JWKS_FILE, the key set of your identity provider.");
    lines.push("JWT_JWKS_FILE=.troupe/token-keys.json");
  }
  if (database === "postgres") lines.push(`DATABASE_URL=postgres://troupe:troupe@127.0.0.1:5432/${name}`);
  return `${lines.join("\n")}\n`;
}

export const dockerfile = `# npm install creates package-lock.json, which this build needs.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund

FROM node:24-slim
RUN mkdir /data && chown node:node /data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json ./
COPY src ./src
ENV NODE_ENV=production TROUPE_DATA_DIR=/data HOST=0.0.0.0
VOLUME /data
EXPOSE 7777
USER node
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch(\`http://127.0.0.1:\${process.env.PORT ?? 7777}/health\`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "node_modules/troupe/bin/troupe.mjs"]
CMD ["start", "src/app.ts"]
`;

export function readme({ name, model, auth, database }: Project): string {
  const first =
    database === "postgres" ? "docker compose up -d --wait\nnpm install && npm start" : "npm install && npm start";
  const header = auth === "none" ? "" : ' -H "Authorization: Bearer $TOKEN"';
  const parts = [`# ${name}`, "Start the server:", block(first)];
  if (model !== "scripted")
    parts.push("The server reads the model's variables from `.env`. Set them before you start it.");
  if (auth === "key")
    parts.push(
      "Clients send the security key of `.env`:",
      block("TOKEN=$(grep '^OS_SECURITY_KEY=' .env | cut -d= -f2)"),
    );
  if (auth === "jwt")
    parts.push("Clients send a token. This command prints one for development:", block("TOKEN=$(npm run -s token)"));
  parts.push(
    "Start a run, in a second terminal:",
    block(`curl -N${header} http://127.0.0.1:7777/agents/weather/runs -d message='What is the weather in Paris?'`),
    "The console is at http://127.0.0.1:7777/console, and the interface is documented at http://127.0.0.1:7777/docs.",
    "| command | what it does |\n|---|---|\n| `npm run dev` | starts the server, and restarts it when a file changes |\n" +
      "| `npm test` | tests the agents with a scripted model, without a network |\n| `npm run typecheck` | checks the types |",
    "`src/agents.ts` defines the agent and the workflow, `src/tools.ts` the tool, and `src/model.ts` selects the model.",
    "After a fresh checkout, copy `.env.example` to `.env` and fill in the values." +
      (auth === "jwt" ? " Then `npm run token` creates the keys for development." : ""),
    "## Image",
    block(`docker build -t ${name} .\n${dockerRun(name, auth)}`),
  );
  if (auth === "none") {
    parts.push("The server has no authorization, so publish its port on a private address only.");
  }
  if (database === "postgres") {
    parts.push("In a container, 127.0.0.1 is the container itself: set `DATABASE_URL` to an address that it reaches.");
  } else {
    parts.push("The volume `/data` contains the database.");
  }
  return `${parts.join("\n\n")}\n`;
}

function dockerRun(name: string, auth: Project["auth"]): string {
  const keys = auth === "jwt" ? " -v ./.troupe/token-keys.json:/app/.troupe/token-keys.json:ro" : "";
  const command = `docker run --rm -p 127.0.0.1:7777:7777 --env-file .env -v ${name}:/data${keys} ${name}`;
  return auth === "none" ? `${command} start src/app.ts --allow-anonymous` : command;
}

function block(code: string): string {
  return `\`\`\`sh\n${code}\n\`\`\``;
}
