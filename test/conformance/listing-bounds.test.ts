/** Listings of large rows: what a response contains, and how much one statement reads for it. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineKnowledge,
  definePlatform,
  defineTeam,
  defineTool,
  defineWorkflow,
  lexicalEmbedder,
  step,
} from "../../src/index.ts";
import { SqliteConnection } from "../../src/store/sqlite/connection.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eventually } from "../support/eventually.ts";
import { eachServer } from "./support/server.ts";

const KiB = 1024;
const maxListingBytes = 100 * KiB;
const largeText = "w".repeat(40 * KiB);
const image = "A".repeat(800 * KiB);
/** A model answer with characters that JSON escapes. */
const manyMegabytes = 'said "so"\n'.repeat(600_000);
/** Rows of each listing, together much larger than a page may be. */
const rows = 5;

const model = scriptedModel(({ message, results }) => {
  if (message.includes("pay") && results.length === 0)
    return { toolCalls: [{ name: "pay", input: { note: largeText } }] };
  return message.includes("whole megabytes") ? { text: [manyMegabytes, "end"] } : largeText;
});

function largePlatform() {
  const pay = defineTool({
    name: "pay",
    description: "Pay.",
    input: z.object({ note: z.string() }),
    approval: "required",
    execute: () => "paid",
  });
  const writer = defineAgent({ id: "writer", name: "Writer", model, tools: [pay], sessionPolicy: "parallel" });
  return definePlatform({
    id: "large-os",
    name: "Large",
    settings: { maxListingBytes },
    agents: [writer],
    knowledge: [defineKnowledge({ id: "manual", embedder: lexicalEmbedder() })],
    teams: [defineTeam({ id: "pair", name: "Pair", model, members: [writer] })],
    workflows: [defineWorkflow({ id: "flow", name: "Flow", steps: [step({ name: "write", agent: writer })] })],
  });
}

/** The largest result of one statement in bytes, since the last reset. */
let largest = 0;
function note(answer: readonly unknown[]): void {
  let bytes = 0;
  for (const row of answer) {
    for (const value of Object.values(row as object)) {
      if (typeof value === "string" || Buffer.isBuffer(value)) bytes += value.length;
    }
  }
  largest = Math.max(largest, bytes);
}
const plain = { run: SqliteConnection.prototype.run, query: pg.Client.prototype.query };
beforeAll(() => {
  SqliteConnection.prototype.run = function (query) {
    const answer = plain.run.call(this, query);
    note(answer.rows);
    return answer;
  };
  pg.Client.prototype.query = function (this: pg.Client, ...asked: [never, never, never]) {
    const answer: unknown = plain.query.apply(this, asked);
    if (answer instanceof Promise)
      answer.then(
        ({ rows: found }) => Array.isArray(found) && note(found),
        () => undefined,
      );
    return answer;
  } as never;
});
afterAll(() => {
  SqliteConnection.prototype.run = plain.run;
  pg.Client.prototype.query = plain.query;
});

interface Described {
  readonly paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema: Schema }> }> }>
  >;
  readonly components: { readonly schemas: Record<string, Schema> };
}
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Record<string, Schema>;
}

/** Paths of the OpenAPI document whose response is a list, or has a list in `data`. */
function listingPaths({ paths, components }: Described): string[] {
  const whole = (schema: Schema): Schema => {
    const name = schema.$ref?.split("/").at(-1);
    return name === undefined ? schema : whole(components.schemas[name]!);
  };
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const schema = get?.responses["200"]?.content?.["application/json"]?.schema;
    const answer = schema && whole(schema);
    const data = answer?.properties?.data;
    return answer?.type === "array" || (data && whole(data).type === "array") ? [path] : [];
  });
}

eachServer(
  "a listing of large rows",
  (client) => {
    const ids: Record<string, string> = {
      agent_id: "writer",
      team_id: "pair",
      workflow_id: "flow",
      session_id: "agents",
      knowledge_id: "manual",
      component_id: "large-0",
    };
    const runIds: Record<string, string[]> = { agents: [], teams: [], workflows: [] };
    const json = async (path: string, body: unknown) => {
      const headers = { "content-type": "application/json" };
      return await client().send(path, { method: "POST", headers, body: JSON.stringify(body) });
    };

    beforeAll(async () => {
      const images = JSON.stringify(Array.from({ length: 3 }, () => ({ content: image, mime_type: "image/png" })));
      for (let made = 0; made < rows; made++) {
        for (const [plural, id] of Object.entries({ agents: "writer", teams: "pair", workflows: "flow" })) {
          const sent = { message: `look ${made}`, session_id: plural, stream: made % 2 === 0, images };
          const answer = await client().post(`/${plural}/${id}/runs`, sent);
          expect([plural, answer.status]).toEqual([plural, 200]);
          runIds[plural]!.push(String(answer.headers["x-run-id"]));
        }
        const paused = await client().post("/agents/writer/runs", {
          message: "pay",
          session_id: `p${made}`,
          stream: false,
        });
        expect(paused.json.status).toBe("PAUSED");
        const state = { session_id: `s${made}`, session_state: { text: largeText } };
        expect((await json("/sessions", state)).status).toBe(201);
        const document = {
          name: `d${made}`,
          text_content: `${made} ${largeText}`,
          metadata: { text: largeText.slice(5_000) },
        };
        const added = await json("/knowledge/content", document);
        expect(added.status).toBe(202);
        ids.content_id ??= added.json.id;
        const component = {
          component_id: `large-${made}`,
          component_type: "agent",
          metadata: { text: largeText.slice(0, 19_000) },
        };
        expect((await json("/components", { name: "Large", ...component })).status).toBe(201);
        const version = { config: { instructions: largeText }, notes: largeText.slice(0, 16_000) };
        expect((await json("/components/large-0/configs", version)).status).toBe(201);
        const endpoint = "/agents/writer/runs";
        const plan = { name: `n${made}`, cron_expr: "0 0 1 1 *", endpoint, payload: { message: largeText } };
        const schedule = await json("/schedules", plan);
        expect(schedule.status).toBe(201);
        ids.schedule_id ??= schedule.json.id;
        expect((await client().post(`/schedules/${ids.schedule_id}/trigger`)).json.status).toBe("success");
      }
      ids.run_id = runIds.agents![0]!;
    });

    /** Requests a page. It stays within a page's bound or has one element, and no statement reads much more. */
    const page = async (path: string) => {
      // The server's own work on the runs, such as the derivation of traces, may read more meanwhile.
      const answer = await eventually(async () => {
        largest = 0;
        const found = await client().get(path);
        expect([path, largest < 2 * 1024 * KiB]).toEqual([path, true]);
        return found;
      });
      expect([path, answer.status]).toEqual([path, 200]);
      expect([path, answer.text.length < maxListingBytes + 500 * KiB]).toEqual([path, true]);
      expect([path, answer.text.includes(image.slice(0, 1_000))]).toEqual([path, false]);
      return answer;
    };

    test("reads and returns no more than one page, on every listing route of the OpenAPI document [L8]", async () => {
      const paths = listingPaths((await client().get("/openapi.json")).json);
      for (const known of [
        "/runs",
        "/sessions",
        "/schedules",
        "/schedules/{schedule_id}/runs",
        "/approvals",
        "/service-accounts",
      ])
        expect(paths).toContain(known);
      expect(paths.filter((path) => path.endsWith("/runs"))).toHaveLength(6);
      await eventually(async () => {
        const { json: document } = await client().get(`/knowledge/content/${ids.content_id}/status`);
        expect(document.status).toBe("completed");
      });
      // The document describes these responses as any JSON or as one record.
      paths.push(
        "/agents/{agent_id}/runs/{run_id}/checkpoints",
        "/sessions/{session_id}",
        "/a2a/agents/writer/rest/tasks",
      );
      for (const path of paths) {
        const family = path.split("/")[1] ?? "";
        const own = { ...ids, run_id: runIds[family]?.[0] ?? ids.run_id } as typeof ids;
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => own[name] ?? `no ${name}`);
        const query = path.includes("{run_id}") ? `?session_id=${family in runIds ? family : "agents"}` : "";
        await page(filled + query);
        // GET /runs permits at most 100.
        if (/\/(runs|sessions|schedules|approvals)$/.test(path) && path !== "/runs") await page(`${filled}?limit=1000`);
      }
    });

    test.each(["agents", "teams", "workflows"])(
      'of runs of %s returns every run on one of its pages, which are linked by rel="next"',
      async (plural) => {
        const path = { agents: "/agents/writer", teams: "/teams/pair", workflows: "/workflows/flow" }[plural];
        for (const first of [`${path}/runs?session_id=${plural}`, `/sessions/${plural}/runs`]) {
          const seen: unknown[] = [];
          let pages = 0;
          for (let next: string | undefined = first; next; pages++) {
            const { json: elements, headers } = await page(next);
            for (const { run_id, parent_run_id, input_media } of elements) {
              if (!parent_run_id) seen.push(run_id);
              if (input_media)
                expect(input_media.images).toEqual(Array.from({ length: 3 }, () => ({ mime_type: "image/png" })));
            }
            next = /^<(.+)>; rel="next"$/.exec(String(headers.link ?? ""))?.[1];
          }
          expect(seen).toEqual(runIds[plural]);
          expect(pages).toBeGreaterThan(1);
        }
      },
    );

    test("of tasks ends a page early with a token, and omits the bytes of files", async () => {
      const seen: string[] = [];
      for (let token: string | undefined = ""; token !== undefined; ) {
        const query = `contextId=agents&pageSize=100&includeArtifacts=true&pageToken=${token}`;
        const { json: answer } = await page(`/a2a/agents/writer/rest/tasks?${query}`);
        expect(answer.tasks.length).toBeLessThan(rows);
        for (const { id, history } of answer.tasks) {
          seen.unshift(id);
          expect(history[0].parts).toEqual([{ text: expect.stringMatching(/^look \d$/) }]);
        }
        token = answer.nextPageToken || undefined;
      }
      expect(seen).toEqual(runIds.agents);
    });

    test("that counts its pages returns every row, and large members only while they fit", async () => {
      const membersOf = async (path: string, member: string) => {
        const { json: answer } = await page(path);
        return answer.data.map((row: Record<string, unknown>) => row[member] ?? null);
      };
      const fits = (values: readonly unknown[]) =>
        values.filter((value) => JSON.stringify(value).length > largeText.length).length;
      for (const [path, member] of [
        ["/sessions?type=agent&limit=1000", "session_state"],
        ["/schedules", "payload"],
        [`/schedules/${ids.schedule_id}/runs`, "output"],
        ["/approvals", "tool_args"],
      ] as const) {
        const values = await membersOf(path, member);
        expect([path, values.length >= rows, fits(values)]).toEqual([
          path,
          true,
          path.includes("runs") || path === "/approvals" ? 1 : 2,
        ]);
      }
      const [{ id }] = (await client().get("/approvals")).json.data.slice(-1);
      expect((await client().get(`/approvals/${id}`)).json.tool_args).toEqual({ note: largeText });
      await eventually(async () =>
        expect((await client().get("/sessions/s0")).json.session_state).toEqual({ text: largeText }),
      );
    });

    // This test is last: compaction of its logs reads more at a time than a listing may.
    test.each([true, false])("the record of a large run is written in pieces (streamed: %s) [L8]", async (stream) => {
      const images = JSON.stringify([{ content: image, mime_type: "image/png" }]);
      const sent = { message: "whole megabytes", session_id: "whole", stream, images };
      const started = await client().post("/agents/writer/runs", sent);
      expect(started.status).toBe(200);
      const longest = { parsed: 0, written: 0 };
      const { parse, stringify } = JSON;
      JSON.parse = (text, ...more) => {
        longest.parsed = Math.max(longest.parsed, text.length);
        return parse(text, ...more);
      };
      JSON.stringify = (...value: [never, never]) => {
        const text = stringify(...value);
        longest.written = Math.max(longest.written, text?.length ?? 0);
        return text;
      };
      const chunks: Buffer[] = [];
      try {
        const path = `/agents/writer/runs/${started.headers["x-run-id"]}?session_id=whole`;
        for await (const chunk of await client().open(path, {})) chunks.push(chunk as Buffer);
      } finally {
        Object.assign(JSON, { parse, stringify });
      }
      const record = JSON.parse(Buffer.concat(chunks).toString());
      expect([longest.parsed < 512 * KiB, longest.written < 512 * KiB]).toEqual([true, true]);
      expect(record.content === `${manyMegabytes}end`).toBe(true);
      expect(record.messages[1].content === record.content).toBe(true);
      expect(record.input.images).toEqual([{ content: image, mime_type: "image/png" }]);
      expect(record.messages[0].images).toEqual(record.input.images);
      if (stream) expect(record.events.at(-1)).toMatchObject({ event: "RunCompleted" });
      if (stream) expect(record.events.at(-1).content === record.content).toBe(true);
    });
  },
  largePlatform,
);
