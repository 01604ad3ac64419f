import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { interfaceRoutes } from "../../src/http/routes/all.ts";
import { connectPages } from "../../src/http/routes/pages/connect.ts";
import { definePlatform } from "../../src/index.ts";
import { a2aRoutes } from "../../src/interfaces/a2a/routes/all.ts";
import { agUiRoutes } from "../../src/interfaces/ag-ui/routes.ts";
import { aiUiRoutes } from "../../src/interfaces/ai-ui/routes.ts";
import { mcpRoutes } from "../../src/interfaces/mcp/routes.ts";
import { openAiRoutes } from "../../src/interfaces/openai/routes/all.ts";
import { workplace } from "../cli/support/troupe.ts";
import { blocks, page, pages, project, prose, rows } from "./support/pages.ts";

// Some tests start processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const scripts: Record<string, string> = JSON.parse(readFileSync(join(project, "package.json"), "utf8")).scripts;

/** Commands in the pages: in `sh` blocks and in inline code. */
const typed = pages().flatMap((from) => [
  ...blocks(from)
    .filter(({ language }) => language === "sh" || language === "")
    .map(({ code, place }) => ({ code, place })),
  ...[...prose(from).matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => ({ code, place: from.path })),
]);

test("every npm script in the pages exists", () => {
  const unknown = typed.flatMap(({ code, place }) =>
    [...code.matchAll(/\bnpm (?:run (\S+)|(start|test)\b)/g)]
      .map(([, run, short]) => run ?? short ?? "")
      .filter((name) => !(name in scripts))
      .map((name) => `${place}: npm run ${name}`),
  );
  expect(unknown).toEqual([]);
});

test("every part of verify in the pages is an npm script", () => {
  const named = typed.flatMap(({ code }) => /npm run verify -- ([\w ]+)/.exec(code)?.[1]?.split(" ") ?? []);
  expect(named).not.toEqual([]);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test("every command and option of troupe in the pages exists, and docs/settings.md lists all of them", async () => {
  await using place = await workplace();
  const help = (await place.troupe("--help")).stdout;
  const commands = [...help.matchAll(/^ {2}([a-z]+) (?:\[|\s)/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "help");
  const options = new Map<string, string>();
  for (const name of commands) {
    const { stdout } = await place.troupe(`${name} --help`);
    for (const [option] of stdout.matchAll(/--[a-z-]+/g)) options.set(option, `${options.get(option) ?? ""} ${name}`);
  }
  const own = typed.flatMap(({ code, place: where }) =>
    [...code.matchAll(/(?:^|npx )troupe ([a-z]+)\b([^\n]*)/gm)].map(([line, name = "", rest = ""]) => ({
      line,
      name,
      rest,
      where,
    })),
  );
  const wrong = own.filter(
    ({ name, rest }) =>
      !commands.includes(name) ||
      [...rest.matchAll(/ (--[a-z-]+)/g)].some(([, option = ""]) => !options.get(option)?.includes(name)),
  );
  expect(wrong).toEqual([]);

  const settings = page("docs/settings.md");
  expect(rows(settings, "command").map(([usage]) => usage?.split(" ")[1])).toEqual(commands);
  const described = rows(settings, "option").map(([option]) => option?.split(" ")[0]);
  expect(described.sort()).toEqual([...options.keys()].filter((option) => option !== "--help").sort());
});

test("the environment variables in docs/settings.md equal those in the help of start", async () => {
  await using place = await workplace();
  const { stdout } = await place.troupe("start --help");
  const inHelp = [...stdout.replaceAll(/\s+/g, " ").matchAll(/env: ([A-Z_]+)/g)].map(([, name]) => name);
  const written = rows(page("docs/settings.md"), "option").flatMap(([, variable]) => variable || []);
  expect(written.sort()).toEqual(inHelp.sort());
});

test("every request in the pages has a route", () => {
  const platform = definePlatform({ id: "test" });
  const routes = [
    ...interfaceRoutes(0),
    ...a2aRoutes(platform),
    ...agUiRoutes({ agUi: { component: "agent:guide" } }),
    ...aiUiRoutes({ aiUi: true }),
    ...openAiRoutes({ openai: true }),
    ...mcpRoutes(platform),
    ...connectPages(""),
  ].map(({ method, path }) => ({
    method: String(method),
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));
  const known = (method: string, path: string) =>
    routes.some((route) => route.method === method && route.pattern.test(path));
  // A command may go on in the next line.
  const commands = typed.map(({ code, place }) => ({ code: code.replaceAll(/\\\n\s*/g, " "), place }));
  const requests = commands.flatMap(({ code, place }) => [
    ...[...code.matchAll(/curl [^\n]*http:\/\/127\.0\.0\.1:7777(\/\S+)([^\n]*)/g)].map(([, path = "", rest = ""]) => ({
      method: / -d /.test(rest) ? "POST" : "GET",
      path: path.replace(/["'?].*$/, ""),
      place,
    })),
    ...[...code.matchAll(/\b(GET|POST|DELETE|PATCH) (\/[\w{}|\\/.:-]+)/g)].map(([, method = "", path = ""]) => ({
      method,
      path,
      place,
    })),
  ]);
  const special = new Set(["/openapi.json", "/docs", "/redoc"]);
  // A pair of routes is written `/{agents|teams}/…`, and all three as `/{kind}/…`.
  const single = requests.map((request) => ({
    ...request,
    path: request.path.replace("{kind}", "agents").replace(/\{(\w+)(?:\\?\|\w+)+\}/, "$1"),
  }));
  const wrong = single.filter(({ method, path }) => !special.has(path) && !known(method, path));
  expect(requests.length).toBeGreaterThan(5);
  expect(wrong).toEqual([]);
});
