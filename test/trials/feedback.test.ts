/** Feedback about runs: one rating for each user and run, for the callers who may see the run. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { makePair, token } from "../support/tokens.ts";
import { nextOf, runOf, send } from "./send.ts";

const agents = ["clerk", "other"].map((id) =>
  defineAgent({ id, model: scriptedModel(({ message }) => `re: ${message}`) }),
);

eachDatabase("feedback about runs", (openDatabase) => {
  describe("without authorization", () => {
    let server: OpenServer;
    beforeAll(async () => {
      server = await openServer(await openDatabase(), { agents });
    });
    afterAll(() => server[Symbol.asyncDispose]());

    test("a user's feedback is stored, replaced, listed and removed", async () => {
      const { run_id } = await runOf(server, "clerk", { message: "one" });
      const path = `/agents/clerk/runs/${run_id}/feedback`;
      expect((await send(server, "GET", path)).body).toEqual([]);
      const first = await send(server, "POST", path, { rating: "up", note: "good \u0000 ☃", user_id: "ada" });
      expect(first).toMatchObject({
        status: 200,
        body: { run_id, user_id: "ada", rating: "up", note: "good \u0000 ☃" },
      });
      const second = await send(server, "POST", path, { rating: "down", user_id: "ada" });
      expect(second.body).toMatchObject({ rating: "down", note: null, created_at: first.body.created_at });
      await send(server, "POST", path, { rating: "up" });
      const { body } = await send(server, "GET", path);
      expect(body.map((one: { user_id: string; rating: string }) => [one.user_id, one.rating]).sort()).toEqual(
        [
          [null, "up"],
          ["ada", "down"],
        ].sort(),
      );
      expect((await send(server, "DELETE", `${path}?user_id=ada`)).status).toBe(204);
      expect((await send(server, "DELETE", `${path}?user_id=ada`)).status).toBe(404);
      expect((await send(server, "GET", path)).body).toMatchObject([{ user_id: null }]);
    });

    test("the list of all feedback filters, and leads from page to page", async () => {
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) {
        const { run_id } = await runOf(server, "other", { message: `page ${n}` });
        ids.unshift(run_id);
        const rating = n === 2 ? "down" : "up";
        await send(server, "POST", `/agents/other/runs/${run_id}/feedback`, { rating, user_id: "pager" });
      }
      const seen: string[] = [];
      for (let path: string | undefined = "/feedback?component_id=other&limit=2"; path; ) {
        const page = await send(server, "GET", path);
        expect(page.status).toBe(200);
        seen.push(...page.body.map((one: { run_id: string }) => one.run_id));
        path = nextOf(page);
      }
      expect(seen).toEqual(ids);
      const down = await send(server, "GET", "/feedback?rating=down&type=agent&component_id=other&user_id=pager");
      expect(down.body).toMatchObject([{ run_id: ids[2], component_type: "agent", component_id: "other" }]);
      expect((await send(server, "GET", "/feedback?type=team")).body).toEqual([]);
      expect((await send(server, "GET", "/feedback?cursor=x")).status).toBe(422);
    });

    test.each([
      [{}, 422],
      [{ rating: "five" }, 422],
      [{ rating: "up", note: "x".repeat(4_001) }, 422],
      [{ rating: "up", user_id: "__scheduler__" }, 403],
    ])("a request with %j is rejected", async (body, status) => {
      const { run_id } = await runOf(server, "clerk", { message: "bad" });
      expect((await send(server, "POST", `/agents/clerk/runs/${run_id}/feedback`, body)).status).toBe(status);
    });

    test("a run of another component or no run is not found, and feedback is deleted with its run", async () => {
      const { run_id } = await runOf(server, "clerk", { message: "gone" });
      const path = `/agents/clerk/runs/${run_id}`;
      expect((await send(server, "POST", `/agents/other/runs/${run_id}/feedback`, { rating: "up" })).status).toBe(404);
      expect((await send(server, "GET", "/agents/clerk/runs/none/feedback")).status).toBe(404);
      await send(server, "POST", `${path}/feedback`, { rating: "up", user_id: "deleted" });
      expect((await send(server, "DELETE", path)).status).toBe(204);
      expect((await send(server, "GET", `${path}/feedback`)).status).toBe(404);
      expect((await send(server, "GET", "/feedback?user_id=deleted")).body).toEqual([]);
    });
  });

  test("isolated users rate and see the runs of their own only; an admin sees all", async () => {
    const pair = makePair();
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    await using server = await openServer(await openDatabase(), { agents, authorization });
    const scopes = ["agents:run", "agents:read", "sessions:read"];
    const [ada, bob, root] = [
      token({ sub: "ada", scopes }, pair),
      token({ sub: "bob", scopes }, pair),
      token({ sub: "root", scopes: ["agent_os:admin"] }, pair),
    ];
    const { run_id } = await runOf(server, "clerk", { message: "mine" }, ada);
    const path = `/agents/clerk/runs/${run_id}/feedback`;
    const given = await send(server, "POST", path, { rating: "up", user_id: "bob" }, ada);
    expect(given.body).toMatchObject({ user_id: "ada" });
    expect((await send(server, "POST", path, { rating: "down" }, bob)).status).toBe(404);
    expect((await send(server, "GET", path, undefined, bob)).status).toBe(404);
    expect((await send(server, "DELETE", path, undefined, bob)).status).toBe(404);
    expect((await send(server, "GET", "/feedback", undefined, bob)).body).toEqual([]);
    await send(server, "POST", path, { rating: "down", note: "wrong" }, root);
    expect((await send(server, "GET", "/feedback", undefined, root)).body).toMatchObject([
      { user_id: "root", rating: "down", note: "wrong" },
      { user_id: "ada", rating: "up" },
    ]);
    expect((await send(server, "GET", path, undefined, ada)).body).toHaveLength(2);
    const reader = token({ sub: "ada", scopes: ["agents:read"] }, pair);
    expect((await send(server, "POST", path, { rating: "up" }, reader)).status).toBe(403);
    expect((await send(server, "GET", path, undefined, reader)).status).toBe(200);
  });
});
