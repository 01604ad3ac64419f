/**
 * Builds the documentation site from docs/, the TSDoc comments and the OpenAPI document: `npm run docs`. The site is
 * a folder of static files: any web server can serve it, and it loads nothing from other hosts. `--out <folder>` sets the output folder (default site/dist).
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const project = fileURLToPath(new URL("..", import.meta.url));
const site = join(project, "site");
const staging = join(site, ".pages");
const { values } = parseArgs({ options: { out: { type: "string" } } });
const target = resolve(values.out ?? join(site, "dist"));

/** Pages of the project in the order of the site; unlisted pages are not on the site. */
const guide = [
  ["Start", ["README.md"]],
  [
    "Define",
    ["agents", "workflows", "factories", "pausing", "schedules", "remotes", "mcp-tools", "connections", "testing"],
  ],
  ["Call", ["surfaces", "client", "protocol", "errors", "a2a", "web-socket"]],
  ["Operate", ["operating", "scaling", "settings", "authorization", "reliability"]],
  ["Compare", ["compatibility", "a2a-musts", "bench/RESULTS.md", "CHANGELOG.md", "CONTRIBUTING.md"]],
] as const;

const decisions = readdirSync(join(project, "docs/decisions")).filter((name) => name.endsWith(".md"));
const places = new Map<string, string>([
  ...guide
    .flatMap(([, names]) => names)
    .map((name): [string, string] => {
      if (name === "README.md") return [name, "index.md"];
      if (!name.endsWith(".md")) return [`docs/${name}.md`, `guide/${name}.md`];
      return [name, `project/${posix.basename(name).toLowerCase()}`];
    }),
  ...decisions.map((name): [string, string] => [
    `docs/decisions/${name}`,
    `decisions/${name === "README.md" ? "index.md" : name}`,
  ]),
]);

installTools();
rmSync(staging, { recursive: true, force: true });
for (const [from, to] of places) write(to, withLinks(from, to, readFileSync(join(project, from), "utf8")));
const openapi = readOpenapi();
write("api.md", apiPage(openapi));
write("public/openapi.json", JSON.stringify(openapi));
run(
  ["typedoc", "--plugin", "typedoc-plugin-markdown", "--tsconfig", "tsconfig.json"],
  ["--entryPoints", "../src/index.ts", "--entryPoints", "../client/index.ts"],
  [
    "--entryPoints",
    "../src/testing/index.ts",
    "--entryPoints",
    "../src/interface.ts",
    "--out",
    ".pages/reference",
    "--router",
    "module",
  ],
  ["--entryFileName", "index", "--readme", "none", "--disableSources", "--excludeInternal", "--githubPages", "false"],
  ["--logLevel", "Error", "--sanitizeComments", "--hideBreadcrumbs", "--hidePageHeader", "--useHTMLAnchors"],
);
write("public/llms.txt", llmsText());
write("public/llms-full.txt", [...places.keys()].map((from) => readFileSync(join(project, from), "utf8")).join("\n\n"));
write(".vitepress/config.mjs", readFileSync(join(site, "config.mjs"), "utf8"));
write(".vitepress/pages.json", JSON.stringify({ sidebar: sidebar() }));
run(["vitepress", "build", ".pages", "--outDir", target]);
console.log(`The site is in ${target}.`);

/** The site's tools have their own lock file, so that the project's install stays small. */
function installTools(): void {
  const lock = readFileSync(join(site, "package-lock.json"), "utf8");
  const mark = join(site, "node_modules/.installed");
  if (existsSync(mark) && readFileSync(mark, "utf8") === lock) return;
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: site, stdio: "inherit" });
  writeFileSync(mark, lock);
}

function run(...words: readonly (readonly string[])[]): void {
  const [tool = "", ...given] = words.flat();
  execFileSync(process.execPath, [join(site, "node_modules", bin(tool)), ...given], { cwd: site, stdio: "inherit" });
}

function bin(tool: string): string {
  const { bin: names } = JSON.parse(readFileSync(join(site, "node_modules", tool, "package.json"), "utf8"));
  return join(tool, typeof names === "string" ? names : names[tool]);
}

function write(path: string, text: string): void {
  const file = join(staging, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Rewrites links to pages to their places on the site; links to sources become plain text. */
function withLinks(from: string, to: string, text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\(((?!https?:|#|mailto:)[^)\s]+)\)/g, (_, label: string, link: string) => {
    const [path = "", anchor = ""] = link.split(/(?=#)/);
    const file = posix.normalize(posix.join(posix.dirname(from), path));
    const place = places.get(file) ?? places.get(posix.join(file, "README.md"));
    return place ? `[${label}](${posix.relative(posix.dirname(to), place)}${anchor})` : label;
  });
}

function readOpenapi(): OpenApi {
  const script = `
    import { createServer, definePlatform } from "troupe";
    const options = { dataDir: ":memory:", logLevel: "silent", environment: {} };
    const server = await createServer(definePlatform({ id: "docs" }), options);
    process.stdout.write(JSON.stringify(await server.openapi()));
    await server.close({ grace: 0 });`;
  const words = ["--conditions=troupe-source", "--input-type=module", "--eval", script];
  return JSON.parse(execFileSync(process.execPath, words, { cwd: project, encoding: "utf8", maxBuffer: 2 ** 28 }));
}

interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly responses: Readonly<Record<string, { readonly description?: string }>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Lists every operation of the API with its parameters and responses. */
function apiPage({ paths }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const groups = Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? "Other");
  const lines = [
    "# HTTP API",
    "",
    `The ${operations.length} operations of the interface. The document itself is [openapi.json](/openapi.json){target="_self"}; a server shows it at`,
    "`/docs`, where each operation can be tried.",
  ];
  for (const [tag, list] of [...groups].sort(([one], [other]) => one.localeCompare(other))) {
    lines.push("", `## ${tag}`);
    for (const { path, method, operation } of list) {
      lines.push("", `### \`${method} ${path}\``, "", operation.summary ?? "");
      if (operation.description) lines.push("", operation.description);
      const given = (operation.parameters ?? []).map(
        (one) => `\`${one.name}\` (${one.in}${one.required ? "" : ", optional"})`,
      );
      if (given.length > 0) lines.push("", `Parameters: ${given.join(", ")}`);
      lines.push("", "| status | |", "|---|---|");
      for (const [status, { description = "" }] of Object.entries(operation.responses))
        lines.push(`| ${status} | ${description.replaceAll("|", "\\|")} |`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** The first heading of a page. */
function titleOf(from: string): string {
  return /^# (.*)$/m.exec(readFileSync(join(project, from), "utf8"))?.[1]?.replaceAll("`", "") ?? from;
}

/** The first paragraph of a page. */
function summaryOf(from: string): string {
  const [, first = ""] = /^#[^\n]*\n+((?:[^\n#|`-][^\n]*\n)+)/m.exec(readFileSync(join(project, from), "utf8")) ?? [];
  return first
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function linkOf(place: string): string {
  return `/${place.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, "")}`;
}

function sidebar(): unknown {
  const entry = (from: string) => ({ text: titleOf(from), link: linkOf(places.get(from) ?? "") });
  const sections = guide.map(([text, names]) => ({
    text,
    items: names.map((name) => entry(name.endsWith(".md") ? name : `docs/${name}.md`)),
  }));
  const reference = [
    { text: "HTTP API", link: "/api" },
    { text: "troupe", link: "/reference/" },
  ];
  const records = decisions.map((name) => entry(`docs/decisions/${name}`));
  return [...sections, { text: "Reference", items: reference }, { text: "Decisions", collapsed: true, items: records }];
}

/** An index of the pages for language models (llmstxt.org). */
function llmsText(): string {
  const lines = ["# Troupe", "", `> ${summaryOf("README.md")}`];
  for (const [title, names] of guide) {
    lines.push("", `## ${title}`, "");
    for (const name of names) {
      const from = name.endsWith(".md") ? name : `docs/${name}.md`;
      lines.push(
        `- [${titleOf(from)}](${linkOf(places.get(from) ?? "")}.html): ${summaryOf(from)}`.replace("/.html", "/"),
      );
    }
  }
  return `${lines.join("\n")}\n`;
}
