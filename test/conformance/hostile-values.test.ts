import { expect, onTestFinished, test } from "vitest";
import type { Route } from "../../src/http/route.ts";
import { openPlatform } from "../../src/platform-parts.ts";
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

/** What a request of the route says when it means no harm. */
const usual: Readonly<Record<string, unknown>> = {
  ...{ message: "hi", stream: false, background: true, session_id: "s", session_name: "n", name: "n" },
  ...{ cron_expr: "0 0 1 1 *", endpoint: "/agents/plain-agent/runs", session_ids: ["s"], session_types: ["agent"] },
};

const known = { agent_id: "plain-agent", team_id: "duo-team", workflow_id: "simple-flow" };

interface Asked {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly payload?: string;
}

function* requestsTo({ method, path, body, querySchema }: Route): Generator<Asked> {
  const asked = { method: method as Asked["method"] };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof known) => known[name] ?? "x");
  if (path.includes("{")) for (const id of ids) yield { ...asked, url: path.replaceAll(/\{\w+\}/g, id) };
  if (querySchema) for (const query of queries) yield { ...asked, url: `${filled}?${query}` };
  const names = Object.keys(body?.schema.shape ?? {});
  for (const type of body?.types ?? []) {
    // The same reader decides about the fields of both forms.
    if (type === "multipart") continue;
    for (const name of names) {
      for (const value of values) {
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

eachDatabase("[E1] whatever is sent to whichever route", (openDatabase) => {
  test("it is refused in so many words, or done: never a fault of the server", async () => {
    // What is started waits: it does not begin to work.
    const options = { log: silentLog, role: "all", isLocalOnly: true } as const;
    const server = await openPlatform(conformancePlatform(), { ...databaseOptions(await openDatabase()), ...options });
    onTestFinished(() => server.end(0));
    const all = server.app.routes.flatMap((route) => [...requestsTo(route)]);
    const faults: unknown[] = [];
    for (let start = 0; start < all.length; start += 20) {
      const some = all.slice(start, start + 20);
      const answers = await Promise.all(some.map((asked) => server.app.inject(asked)));
      for (const [place, { statusCode, body }] of answers.entries()) {
        if (statusCode >= 500) faults.push([statusCode, some[place], body.slice(0, 200)]);
      }
    }
    expect(faults).toEqual([]);
    expect(all.length).toBeGreaterThan(1_000);
  });
});
