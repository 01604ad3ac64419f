/** The protocol's conformance suite against this server. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { desk } from "../a2a/support/desk.ts";
import { openDatabaseOf } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { addressOf } from "./support/client.ts";

const suite = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);

/** Scenarios that need nothing but the protocol. */
const applicable = [
  "server-initialize",
  "ping",
  "tools-list",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];

/**
 * Scenarios that do not apply: they call tools, resources and prompts of a fixture server by name (`test_simple_text`, `test://static-text`), or features that this
 * server does not declare: logging, completions, resources, prompts, sampling.
 */
const inapplicable = [
  ...["logging-set-level", "completion-complete", "json-schema-2020-12", "server-sse-polling"],
  ...["tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource"],
  ...["tools-call-mixed-content", "tools-call-with-logging", "tools-call-error", "tools-call-with-progress"],
  ...["tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums"],
  ...["resources-list", "resources-read-text", "resources-read-binary", "resources-templates-read"],
  ...["resources-subscribe", "resources-unsubscribe"],
  ...["prompts-list", "prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource"],
  ...["prompts-get-with-image"],
];

async function run(...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [suite, ...words], { maxBuffer: 16e6 });
  return stdout;
}

test.each(applicable)("the scenario %s passes", async (scenario) => {
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, desk());
  const output = await run("server", "--url", addressOf(server).href, "--scenario", scenario);
  expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed/);
});

test("every server scenario of the suite is listed as applicable or not", async () => {
  const [servers = ""] = (await run("list")).split("Client scenarios");
  const names = [...servers.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
  expect(names.sort()).toEqual([...applicable, ...inapplicable].sort());
});
