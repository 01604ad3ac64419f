import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Route } from "../../src/http/transport/route.ts";
import { openPlatform } from "../../src/platform/open.ts";
import { eachDatabase } from "../support/databases.ts";
import { silentLog } from "../support/runtime.ts";
import { conformancePlatform } from "./support/platform.ts";
import { databaseOptions } from "./support/server.ts";

const ids = ["constructor", "__proto__", "%00", "%ff", "%ED%A0%80", "%2e%2e", "x".repeat(300)];

const queries = [
  "limit=-1&page=99999999999999999999",
  "limit=1e400",
  `cursor=${Buffer.from(`[${Array(4).fill(Number.MAX_SAFE_INTEGER)}]`).toString("base64url")}`,
  "cursor=W10",
  "session_id=%00",
  "session_id=a&session_id=b&user_id=%ED%A0%80",
  "sort_by=__proto__&sort_order=constructor",
  "status=__proto__&type=constructor",
  "created_after=99999999999999999999&created_before=-1",
  "db_id=constructor&table=constructor",
  "session_name=%00%25_",
  "factory_input=%7B%22__proto__%22%3A1%7D",
  "__proto__=1&constructor=2&%ff=%ff",
];

const values: readonly unknown[] = [
  ...["\u0000", "\ud800", "__proto__", "x".repeat(2_000)],
  ...[-1, 1.5, 1e308, 2 ** 53, true, {}, [], [[{}]], [{}], ["\u0000"], { a: "\u0000", constructor: 1 }],
];

/** A shorter list, for bodies with many places. */
const some: readonly unknown[] = ["\u0000", "\ud800", -1, {}, [[{}]], null];

/** A valid A2A request. */
const params = {
  id: "t",
  contextId: "c",
  historyLength: 1,
  message: {
    ...{ kind: "message", role: "user", messageId: "m", contextId: "c", agentId: "plain-agent" },
    parts: [{ kind: "text", text: "hi" }],
    metadata: { userId: "u" },
  },
  configuration: { blocking: false, acceptedOutputModes: ["text"] },
};

/** Values of a valid request. */
const usual: Readonly<Record<string, unknown>> = {
  ...{ message: "hi", stream: false, background: true, session_id: "s", session_name: "n", name: "n" },
  ...{ jsonrpc: "2.0", method: "message/send", id: "1", params },
  ...{ cron_expr: "0 0 1 1 *", endpoint: "/agents/plain-agent/runs", session_ids: ["s"], session_types: ["agent"] },
};

const known = { agents: "plain-agent", teams: "duo-team", workflows: "simple-flow" };

/** Yields the value with each of its members in turn replaced by each of the others. */
function* spoilt(value: unknown, others: readonly unknown[]): Generator<unknown> {
  yield* others;
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    for (const other of spoilt(member, others)) {
      yield Array.isArray(value) ? [other] : { ...value, [name]: other };
    }
  }
}

interface Asked {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly payload?: string;
}

function* requestsTo({ method, path, body, querySchema }: Route): Generator<Asked> {
  const asked = { method: method as Asked["method"] };
  const family = path.split("/").find((part): part is keyof typeof known => part in known) ?? "agents";
  const filled = path.replace(/\{(id|agent_id|team_id|workflow_id)\}/, known[family]).replaceAll(/\{\w+\}/g, "x");
  if (path.includes("{")) for (const id of ids) yield { ...asked, url: path.replaceAll(/\{\w+\}/g, id) };
  if (querySchema) for (const query of queries) yield { ...asked, url: `${filled}?${query}` };
  for (const name of Object.keys(querySchema?.shape ?? {}))
    for (const value of ["%00", "%ED%A0%80", "__proto__", "-1", "9007199254740993"])
      yield { ...asked, url: `${filled}?${name}=${value}` };
  const names = Object.keys(body?.reader.schema.shape ?? {});
  for (const type of body?.types ?? []) {
    // Urlencoded and multipart forms share one reader.
    if (type === "multipart") continue;
    for (const name of names) {
      for (const value of name === "params" ? spoilt(params, some) : values) {
        const said = Object.entries({ ...usual, [name]: value }).filter(([field]) => names.includes(field));
        const texts = said.map(([field, one]): [string, string] => [
          field,
          typeof one === "string" ? one : JSON.stringify(one),
        ]);
        const payload =
          type === "json" ? JSON.stringify(Object.fromEntries(said)) : new URLSearchParams(texts).toString();
        const contentType = type === "json" ? "application/json" : "application/x-www-form-urlencoded";
        yield { ...asked, url: filled, headers: { "content-type": contentType }, payload };
      }
    }
  }
}

/** A request that waits for the end of a run was accepted. */
const over = (): Promise<undefined> => sleep(5_000, undefined, { ref: false });

eachDatabase("[E1] arbitrary values sent to every route", (openDatabase) => {
  test("cause no response of 500 or above", async () => {
    // Runs stay pending: the engine does not start.
    const options = { log: silentLog, role: "all", isLocalOnly: true } as const;
    const server = await openPlatform(conformancePlatform(), { ...databaseOptions(await openDatabase()), ...options });
    onTestFinished(() => server.end(0));
    // The stream of a pending run does not end; the route beside it reads the same input.
    const routes = server.app.routes.filter(({ path }) => !/[:/]stream$/.test(path));
    const schemas = new Set<unknown>();
    const all = routes.flatMap((route) => {
      const isKnown = schemas.has(route.body?.reader.schema);
      schemas.add(route.body?.reader.schema);
      return [...requestsTo(isKnown ? { ...route, body: undefined } : route)];
    });
    const faults: unknown[] = [];
    for (let start = 0; start < all.length; start += 20) {
      const some = all.slice(start, start + 20);
      const answers = await Promise.all(some.map((asked) => Promise.race([server.app.inject(asked), over()])));
      for (const [place, answer] of answers.entries()) {
        const { statusCode = 0, body = "" } = answer ?? {};
        if (statusCode >= 500) faults.push([statusCode, some[place], body.slice(0, 200)]);
      }
    }
    expect(faults).toEqual([]);
    expect(all.length).toBeGreaterThan(1_000);
  });
});
