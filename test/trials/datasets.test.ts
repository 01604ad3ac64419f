/** Datasets: rows of requests, of tables, of stored runs and of feedback, for the callers who may see them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { makePair, token } from "../support/tokens.ts";
import { nextOf, runOf, send } from "./send.ts";

const clerk = defineAgent({ id: "clerk", model: scriptedModel(({ message }) => `re: ${message}`) });

/** All rows of a dataset, read in pages. */
async function rowsOf(server: OpenServer, id: string, limit = 100) {
  const rows: { id: string; input: string; expected: string | null; metadata: unknown; run_id: string | null }[] = [];
  for (let path: string | undefined = `/datasets/${id}?limit=${limit}`; path; ) {
    const page = await send(server, "GET", path);
    expect(page.status).toBe(200);
    rows.push(...page.body.rows);
    path = nextOf(page);
  }
  return rows;
}

eachDatabase("datasets", (openDatabase) => {
  describe("without authorization", () => {
    let server: OpenServer;
    beforeAll(async () => {
      server = await openServer(await openDatabase(), { agents: [clerk], settings: { maxListingBytes: 20_000 } });
    });
    afterAll(() => server[Symbol.asyncDispose]());

    const create = async (body: object | FormData): Promise<string> => {
      const created = await send(server, "POST", "/datasets", body);
      expect(created.status).toBe(201);
      return created.body.id;
    };

    test("rows of a request keep their order and values; pages have all of them once", async () => {
      const given = Array.from({ length: 7 }, (_, n) => ({ input: `input ${n} \u0000`, expected: `answer ${n}` }));
      const rows = [...given, { input: { city: "Oslo" }, expected: ["a"], metadata: { area: 1 } }];
      const id = await create({ name: "d", description: "of rows", rows });
      expect((await send(server, "GET", `/datasets/${id}`)).body).toMatchObject({
        ...{ id, name: "d", description: "of rows", row_count: 8, user_id: null },
      });
      const stored = await rowsOf(server, id, 3);
      expect(stored.map(({ input, expected, metadata }) => ({ input, expected, metadata }))).toEqual([
        ...given.map((row) => ({ ...row, metadata: null })),
        { input: '{"city":"Oslo"}', expected: '["a"]', metadata: { area: 1 } },
      ]);
      expect((await send(server, "DELETE", `/datasets/${id}/rows/${stored[1]?.id}`)).status).toBe(204);
      expect((await send(server, "DELETE", `/datasets/${id}/rows/${stored[1]?.id}`)).status).toBe(404);
      expect((await rowsOf(server, id)).map(({ id: row }) => row)).not.toContain(stored[1]?.id);
      expect((await send(server, "PATCH", `/datasets/${id}`, { name: "e" })).body).toMatchObject({
        ...{ name: "e", description: "of rows", row_count: 7 },
      });
      expect((await send(server, "DELETE", `/datasets/${id}`)).status).toBe(204);
      expect((await send(server, "GET", `/datasets/${id}`)).status).toBe(404);
    });

    test("a page of large rows ends at its size, and the next page continues", async () => {
      const rows = Array.from({ length: 4 }, (_, n) => ({ input: `${n}${"x".repeat(15_000)}` }));
      const id = await create({ name: "large", rows });
      expect((await send(server, "GET", `/datasets/${id}`)).body.rows).toHaveLength(1);
      expect((await rowsOf(server, id)).map(({ input }) => input[0])).toEqual(["0", "1", "2", "3"]);
    });

    test("the list of datasets has the newest first, in pages", async () => {
      const ids = [await create({ name: "x" }), await create({ name: "y" }), await create({ name: "z" })];
      const seen: string[] = [];
      for (let path: string | undefined = "/datasets?limit=2"; path && seen.length < 3; ) {
        const page = await send(server, "GET", path);
        seen.push(...page.body.map((one: { id: string }) => one.id));
        path = nextOf(page);
      }
      expect(seen.slice(0, 3)).toEqual(ids.toReversed());
    });

    test("a table has rows: named columns, and the others as metadata", async () => {
      const id = await create({ name: "csv", csv: 'input;expected;area\n"one; ""two""";1;north\nthree;;\n' });
      expect(await rowsOf(server, id)).toMatchObject([
        { input: 'one; "two"', expected: "1", metadata: { area: "north" } },
        { input: "three", expected: null, metadata: null },
      ]);
      const form = new FormData();
      form.set("file", new File(["\uFEFFexpected,input\n4,four\n"], "rows.csv", { type: "text/csv" }));
      const added = await send(server, "POST", `/datasets/${id}/rows`, form);
      expect(added).toMatchObject({ status: 201, body: { id, added: 1, row_count: 3 } });
      expect((await rowsOf(server, id)).at(-1)).toMatchObject({ input: "four", expected: "4" });
    });

    test("stored runs become rows: their inputs, and their answers as expected ones", async () => {
      const { run_id } = await runOf(server, "clerk", { message: "hello" });
      const id = await create({ name: "runs", run_ids: [run_id] });
      await send(server, "POST", `/datasets/${id}/rows`, { run_ids: [run_id], with_expected: false });
      expect(await rowsOf(server, id)).toMatchObject([
        { input: "hello", expected: "re: hello", metadata: null, run_id },
        { input: "hello", expected: null, run_id },
      ]);
      const unknown = await send(server, "POST", `/datasets/${id}/rows`, { rows: [{ input: "x" }], run_ids: ["none"] });
      expect([unknown.status, (await rowsOf(server, id)).length]).toEqual([404, 2]);
    });

    test("runs with feedback become rows: without expected answers after a thumbs-down, and with notes of the run's own user only", async () => {
      const [good, bad] = [
        await runOf(server, "clerk", { message: "good", user_id: "u1" }),
        await runOf(server, "clerk", { message: "bad" }),
      ];
      const path = (run: { run_id: string }) => `/agents/clerk/runs/${run.run_id}/feedback`;
      await send(server, "POST", path(good), { rating: "up", note: "right city", user_id: "u1" });
      await send(server, "POST", path(bad), { rating: "up", user_id: "u1" });
      await send(server, "POST", path(bad), { rating: "down", note: "wrong city", user_id: "u2" });
      const id = await create({ name: "feedback", feedback: { component_id: "clerk" } });
      const rows = await rowsOf(server, id);
      expect(rows.map(({ input, expected, metadata }) => ({ input, expected, metadata }))).toEqual([
        { input: "bad", expected: null, metadata: { rating: "down" } },
        { input: "good", expected: "re: good", metadata: { rating: "up", note: "right city" } },
      ]);
      const added = await send(server, "POST", `/datasets/${id}/rows`, { feedback: { rating: "down" } });
      expect(added.body.added).toBe(1);
    });

    test.each([
      ["/datasets", {}],
      ["/datasets", { name: "" }],
      ["/datasets", { name: "d", rows: [{ expected: "x" }] }],
      ["/datasets", { name: "d", rows: [{ input: "" }] }],
      ["/datasets", { name: "d", csv: "question,answer\na,b\n" }],
      ["/datasets", { name: "d", csv: "input\n \n" }],
      ["/datasets", { name: "d", csv: `input\n${"a\n".repeat(1_001)}` }],
      ["/datasets", { name: "d", csv: `input${",a".repeat(100)}\nx\n` }],
      ["/datasets", { name: "d", csv: `input,note\nx,${"y".repeat(20_001)}\n` }],
      ["/datasets", { name: "d", rows: [{ input: "x", metadata: { text: "x".repeat(20_000) } }] }],
      ["/datasets/none/rows", {}],
    ])("%s rejects the body %j", async (path, body) => {
      expect((await send(server, "POST", path, body)).status).toBe(422);
    });

    test("unknown datasets are not found", async () => {
      const answers = [
        await send(server, "GET", "/datasets/none"),
        await send(server, "PATCH", "/datasets/none", { name: "x" }),
        await send(server, "DELETE", "/datasets/none"),
        await send(server, "POST", "/datasets/none/rows", { rows: [{ input: "x" }] }),
        await send(server, "DELETE", "/datasets/none/rows/none"),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    });
  });

  test("isolated users have datasets of their own, with rows of runs that they may see and read", async () => {
    const pair = makePair();
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    await using server = await openServer(await openDatabase(), { agents: [clerk], authorization });
    const evals = ["evals:read", "evals:write", "evals:delete"];
    const scopes = [...evals, "agents:run", "agents:read"];
    const [ada, bob, root] = [
      token({ sub: "ada", scopes }, pair),
      token({ sub: "bob", scopes }, pair),
      token({ sub: "root", scopes: ["agent_os:admin"] }, pair),
    ];
    const { run_id } = await runOf(server, "clerk", { message: "of ada" }, ada);
    const created = await send(server, "POST", "/datasets", { name: "ada's", run_ids: [run_id] }, ada);
    expect(created).toMatchObject({ status: 201, body: { user_id: "ada", row_count: 1 } });
    const path = `/datasets/${created.body.id}`;
    expect((await send(server, "GET", path, undefined, bob)).status).toBe(404);
    expect((await send(server, "POST", `${path}/rows`, { rows: [{ input: "x" }] }, bob)).status).toBe(404);
    expect((await send(server, "DELETE", path, undefined, bob)).status).toBe(404);
    expect((await send(server, "GET", "/datasets", undefined, bob)).body).toEqual([]);
    expect((await send(server, "POST", "/datasets", { name: "b", run_ids: [run_id] }, bob)).status).toBe(404);
    expect((await send(server, "GET", "/datasets", undefined, root)).body).toHaveLength(1);
    const blind = token({ sub: "ada", scopes: evals }, pair);
    expect((await send(server, "POST", `${path}/rows`, { run_ids: [run_id] }, blind)).status).toBe(404);
    const bound = token({ sub: "ada", scopes, session_id: "s" }, pair);
    expect((await send(server, "GET", "/datasets", undefined, bound)).status).toBe(403);

    // The erasure of a user removes the rows of the user's runs from datasets of others.
    const kept = await send(
      server,
      "POST",
      "/datasets",
      { name: "r", rows: [{ input: "x" }], run_ids: [run_id] },
      root,
    );
    const erased = await send(server, "DELETE", "/users/ada/data", undefined, root);
    expect(erased.body).toMatchObject({ complete: true, removed: { datasets: 1, dataset_rows: 1, runs: 1 } });
    const left = await send(server, "GET", `/datasets/${kept.body.id}`, undefined, root);
    expect(left.body).toMatchObject({ row_count: 1, rows: [{ input: "x" }] });
  });
});
