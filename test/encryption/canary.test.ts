/** A canary text that is written through every surface of the store and of a server is nowhere in an encrypted database. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTool } from "../../src/define/tool.ts";
import { noSource } from "../../src/model/memory.ts";
import { system } from "../../src/model/principal.ts";
import { defaultPlan, type Schedule } from "../../src/model/schedule/schedule.ts";
import type { ApprovalCreation } from "../../src/store/contract/approvals.ts";
import { ingestionJob } from "../../src/store/contract/knowledge.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { create, everybody, openOn, put, readLog, segment, to, write } from "../contract/store-fixtures.ts";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { contains, countSealed, keysOf } from "./stored.ts";

const canary = "CANARY-7d3f";
const json = JSON.stringify({ text: canary });

const pushTarget = { id: "p", url: `https://${canary}.example`, version: "0.3", token: canary } as const;

function schedule(change: Partial<Schedule> = {}): Schedule {
  return {
    ...defaultPlan,
    ...{ id: "t1", name: "s", owner: "", cronExpr: "* * * * *", endpoint: "/health", payload: { text: canary } },
    ...{ enabled: true, disabledReason: null, nextRunAt: 1_000, fires: 0, failures: 0, platform: "p" },
    grant: { kind: "open", userId: null, scopes: [], mapping: 0, account: null },
    ...{ createdAt: 1_000, updatedAt: null, description: canary },
    ...change,
  };
}

const approval: ApprovalCreation = {
  ...{ id: "a1", type: "required", pauseType: "confirmation", sourceType: "agent", sourceName: "Agent" },
  ...{ agentId: "agent-1", teamId: null, workflowId: null, toolName: "tool", toolArgs: { text: canary } },
  ...{ requirements: [{ text: canary }] as unknown as ApprovalCreation["requirements"], createdAt: 1_000 },
};

const media = { role: "user", content: canary, media: [{ data: "A".repeat(20_000) }] };

eachDatabase("an encrypted database", (openDatabase, kind) => {
  test("contains no text of any surface of the store, and every text can be read back", async () => {
    const database = await openDatabase();
    const opened = await openOn(database, { keyProvider: keysOf("k1") });
    const { store, schedules, pushes, approvals, connections, memories, knowledge, jobs, learnings, responses } =
      opened;
    const { components } = opened;
    const key = await create(store, {
      runId: "r1",
      ...{ input: JSON.stringify({ message: canary, media: media.media }), options: json, sessionTitle: canary },
      ...{ sessionState: json, pushTargets: [pushTarget] },
    });
    const message = { runKey: key, position: 0, id: "m1", createdAt: 1, body: JSON.stringify(media) };
    const mark = { runKey: key, name: "mark", createdAt: 1, body: json };
    const statePatch = { set: { text: `${canary} 2` }, remove: [] };
    await put(store, write(key, { segment: segment(0, 3, canary), messages: [message], marks: [mark], statePatch }));
    expect(await contains(database, canary)).toBe(false);

    await put(
      store,
      write(key, { segment: segment(4, 4, canary), transition: { ...to("PAUSED"), approvals: [approval] } }),
    );
    const answer = { id: "a1", status: "approved", resolvedBy: null, data: { text: canary }, at: 3 } as const;
    const answered = { runKey: key, name: "answer", createdAt: 1, body: json };
    expect(await store.continueRun(key, 1, [answered], [answer])).toBe(true);
    const [claimed] = await store.claim({ owner: "p2", slots: 1, orphans: false });
    expect(claimed).toMatchObject({ options: json, sessionState: JSON.stringify({ text: `${canary} 2` }) });
    await put(store, write(key, { attempt: 2, segment: segment(5, 400, canary) }));
    await put(store, write(key, { attempt: 2, transition: { ...to("COMPLETED"), output: json } }));
    const session = (await store.findSession(everybody, "s"))!;
    await store.updateSession(session.key, { name: canary, metadata: json, summary: json }, 5);
    await store.createSession({
      ...{ sessionId: "s2", owner: "", kind: "agent", componentId: "agent-1", userId: null, name: `${canary} B` },
      ...{ state: json, metadata: json, createdAt: 1 },
    });
    await schedules.create(schedule());
    const place = { attempt: 1, tick: null, queues: false, dueAt: 0 };
    const fire = { id: "f1", runId: randomUUID(), ...place, status: "waiting" } as const;
    const claimedFire = (await schedules.createClaimed("t1", fire, "p1"))!;
    const detail = { statusCode: 200, input: null, output: { text: canary } as never, error: canary };
    await schedules.endAttempt(claimedFire, { status: "success", sessionId: null, retry: null, detail });
    await pushes.put(key, { ...pushTarget, id: "q" }, { cursor: 1, maxTargets: 5 });
    const reservation = { digest: "d", runId: "r2", fingerprint: canary, at: 5, since: 0 };
    await store.reserveIdempotencyKey(reservation);
    const account = { provider: "hub", userId: "u", tokens: json, scopes: [], expiresAt: null };
    await connections.put(account);
    await responses.put({ digest: "c", userId: "u", body: json }, 60_000);
    expect(await responses.find("c")).toBe(json);
    const version = { label: canary, stage: "published", config: { instructions: canary }, notes: canary } as const;
    const component = { id: "c", kind: "agent", name: "C", description: canary, metadata: { text: canary } } as const;
    await components.create({ ...component, createdBy: null }, { ...version, createdBy: null, setsCurrent: true });
    await learnings.create({
      ...{ learningId: "l", owner: "u", type: "t", namespace: null, agentId: null, teamId: null, sessionId: null },
      ...{ entityId: null, entityType: null, content: json, metadata: json },
    });
    expect(await connections.refresh({ ...account, version: 1 }, { tokens: json, expiresAt: 1 })).toBe(true);
    const flow = { digest: "f", provider: "hub", userId: "u", body: json };
    await connections.putFlow(flow, 60_000);
    const memory = { id: "m", memory: canary, topics: [canary], origin: "request", ...noSource } as const;
    await memories.change("u", [
      { kind: "add", ...memory, memory: "m" },
      { kind: "update", id: "m", memory: canary },
    ]);
    const document = await knowledge.put({
      ...{ id: "k", knowledgeId: "docs", userId: null, name: canary, description: canary, metadata: null, type: null },
      ...{
        size: 1,
        origin: { kind: "url", url: `https://${canary}.example` },
        options: {},
        bytes: Buffer.from(canary),
      },
    });
    const request = { kind: ingestionJob, owner: "p1", limit: 1, orphans: true, full: [] };
    const [job] = await jobs.claim(request);
    const chunk = { number: 0, text: canary, tokens: 1, hash: "h", page: null, start: 0, end: 11, terms: [canary] };
    expect(await knowledge.addChunks(job!, document!.key, [{ ...chunk, headings: [canary] }], "e")).toBe(true);
    const measured = {
      ...({ id: "ev", userId: "u", component: { kind: "agent", id: "a" }, componentName: "A", version: null } as const),
      ...({ type: "accuracy", name: canary, model: null, modelProvider: null, total: 1, request: json } as const),
    };
    await opened.evals.create(measured, { kind: "eval", id: "ev", share: "" }, 9);
    const [evalJob] = await jobs.claim({ kind: "eval", owner: "p1", limit: 1, orphans: true, full: [] });
    const { key: evalKey } = (await opened.evals.find(system, "ev"))!;
    expect(await opened.evals.addIteration(evalJob!, evalKey, { number: 0, body: json, usage: [] })).toBe(true);
    expect(await opened.evals.finish(evalJob!, evalKey, { status: "COMPLETED", result: json })).toBe(true);
    const byName = { sortBy: "name", limit: 2, offset: 0, maxBytes: 1e6 } as const;
    for (const [id, name] of [
      ["ev-b", `${canary} b`],
      ["ev-a", "x"],
      ["ev-none", null],
    ] as const)
      await opened.evals.create({ ...measured, id, name }, { kind: "eval", id, share: "" }, 9);
    expect(await opened.evals.rename(system, "ev-a", `${canary} a`)).toBe(true);
    const idsOf = async (query: object) =>
      (await opened.evals.list(system, { ...byName, descending: false, ...query })).rows.map(({ id }) => id);
    expect([await idsOf({}), await idsOf({ offset: 2 })]).toEqual([
      ["ev", "ev-a"],
      ["ev-b", "ev-none"],
    ]);
    expect(await idsOf({ descending: true, limit: 4 })).toEqual(["ev-b", "ev-a", "ev", "ev-none"]);
    const { feedback, datasets, experiments } = opened.trials;
    await feedback.put(key, "u", { rating: "up", note: canary });
    const dataset = { id: "ds", owner: "", userId: "u", name: canary, description: canary };
    await datasets.create(dataset, []);
    const row = { id: "row", input: canary, expected: canary, metadata: { text: canary }, runId: null, runUser: null };
    expect(await datasets.addRows("ds", [row], 9)).toBe("added");
    const compared = { name: canary, versions: {}, scorers: [canary], parallel: 1, caller: system } as never;
    const experiment = {
      ...({ id: "ex", owner: "", userId: "u", datasetId: "ds", kind: "agent", componentId: "a" } as const),
      ...{ definition: compared, maxRows: 9, share: "" },
    };
    expect(await experiments.create(experiment, 9)).toBe("created");
    await experiments.begin("ex");
    const result = {
      ...({ side: "a", runId: "r", status: "COMPLETED", output: canary } as const),
      ...{ error: canary, nanos: 1, milliseconds: 1 },
      scores: [{ scorer: canary, score: 1, reason: canary }],
    } as const;
    expect(await experiments.put("ex", "row", result, [])).toBe(true);
    expect(await experiments.cancel("ex", { error: canary } as never)).toBe(true);
    const log = await readLog(store, key);
    await store.compact(key, 4_096);
    const copyKey = await store.nextRunKey();
    const copied = await store.copySession({
      ...{ from: session.key, sessionId: "copy", owner: "", userId: null, at: 9 },
      runs: [{ from: key, key: copyKey, runId: "r1-copy", options: json, output: json }],
    });

    expect(await contains(database, canary)).toBe(false);
    const counts = await countSealed(database);
    for (const [column, { sealed, clear }] of counts)
      expect([column, sealed > 0, clear > 0]).toEqual([column, true, clear > 0]);
    const cleared = [...counts].filter(([, { clear }]) => clear > 0).map(([column]) => column);
    expect(cleared).toEqual([]);

    expect(await components.live()).toMatchObject([{ component, version }]);
    expect(await components.listVersions("c", { limit: 1, withConfigs: true, maxBytes: 1_000 })).toMatchObject([
      version,
    ]);
    expect(await opened.evals.find(system, "ev")).toMatchObject({ request: json, result: json });
    expect(await opened.evals.iterations(evalKey)).toEqual([json]);
    expect(await feedback.ofRun(key, 9)).toMatchObject([{ note: canary }]);
    expect(await feedback.list(everybody, { limit: 9 })).toMatchObject({ feedback: [{ note: canary, runId: "r1" }] });
    expect(await datasets.find(system, "ds")).toMatchObject({ name: canary, description: canary });
    expect(await datasets.rows("ds", { limit: 9, maxBytes: 9_999 })).toMatchObject({ rows: [{ input: canary }] });
    expect(await experiments.find(system, "ex")).toMatchObject({
      ...{ definition: { name: canary }, status: "cancelled", summary: { error: canary } },
    });
    expect(await experiments.scores("ex")).toMatchObject([{ scores: [{ reason: canary }] }]);
    expect(await experiments.results("ex", { limit: 9, maxBytes: 9_999 })).toMatchObject({
      rows: [{ expected: canary, results: [{ output: canary, error: canary }] }],
    });
    expect(await learnings.find(system, "l")).toMatchObject([{ content: json, metadata: json }]);
    expect(await readLog(store, key)).toBe(log);
    expect(await store.findRun(everybody, "r1")).toMatchObject({ options: json, output: json });
    expect(await connections.find("hub", "u")).toMatchObject({ tokens: json, version: 2 });
    expect(await connections.findFlow("f")).toEqual(flow);
    expect(await memories.find(system, "m")).toMatchObject(memory);
    expect(await knowledge.ingestion(job!)).toMatchObject({
      ...{ bytes: Buffer.from(canary), content: { name: canary, description: canary, origin: { kind: "url" } } },
    });
    expect(await knowledge.pending(document!.key, 9)).toMatchObject([{ text: canary, headings: [canary] }]);
    expect(await store.messages([key])).toEqual([message]);
    expect(await store.marks([key])).toEqual([answered, mark]);
    expect(await store.messages([copyKey])).toMatchObject([{ ...message, runKey: copyKey }]);
    expect(await store.findRun(everybody, "r1-copy")).toMatchObject({ options: json, output: json });
    expect(await store.findSession(everybody, "copy")).toMatchObject({ key: copied, name: canary, metadata: json });
    expect(await store.findSession(everybody, "s2")).toMatchObject({ name: `${canary} B`, state: json });
    const page = { sortBy: "createdAt", descending: false, limit: 9, offset: 0, maxBytes: 100_000 } as const;
    const named = await store.listSessions(everybody, { ...page, name: "canary-7d3f b" });
    expect([named.total, named.rows.map(({ sessionId }) => sessionId)]).toEqual([1, ["s2"]]);
    expect(await schedules.find(system, "t1")).toMatchObject({ description: canary, payload: { text: canary } });
    expect(await schedules.findFire("t1", "f1")).toMatchObject({ detail });
    expect(await pushes.list(key, { limit: 9 })).toEqual([pushTarget, { ...pushTarget, id: "q" }]);
    expect(await approvals.find(system, "a1")).toMatchObject({
      ...{ toolArgs: { text: canary }, requirements: [{ text: canary }], resolutionData: { text: canary } },
    });
    expect(await store.reserveIdempotencyKey({ ...reservation, runId: "r3" })).toMatchObject({
      ...{ runId: "r2", fingerprint: canary },
    });
  });

  test("contains no text of a run that a server executes, neither during the run nor after a restart", async () => {
    const database = await openDatabase();
    const tool = defineTool({
      ...{ name: "look", description: "Looks.", input: z.object({ text: z.string() }), approval: "required" },
      execute: ({ text }) => `seen ${text}`,
    });
    const agent = defineAgent({
      ...{ id: "a", tools: [tool] },
      model: scriptedModel(({ results }) =>
        results.length === 0 ? { toolCalls: [{ name: "look", input: { text: canary } }] } : `answer ${canary}`,
      ),
    });
    const encryption = { keyProvider: keysOf("k1") };
    let events = "";
    let ids = { runId: "", sessionId: "s" };
    {
      await using server = await openServer(database, { agents: [agent], encryption });
      const form = { message: canary, session_id: "s", session_state: json, metadata: json };
      const stream = await server.client.stream("/agents/a/runs", form, { "idempotency-key": "i" });
      await stream.closed;
      ids = { runId: stream.runId, sessionId: "s" };
      expect(await contains(database, canary)).toBe(false);
      const run = await server.client.record("agents/a", ids);
      const tools = JSON.stringify(run.tools.map((one: object) => ({ ...one, confirmed: true })));
      const { body } = await server.client.get("/approvals");
      expect(JSON.stringify(body)).toContain(canary);
      await resolveAll(server.client.address, body.data);
      const ended = await server.client.post(`/agents/a/runs/${ids.runId}/continue`, {
        tools,
        session_id: "s",
        stream: false,
      });
      expect([ended.status, ended.body.content]).toEqual([200, `answer ${canary}`]);
      events = (await server.client.log("agents/a", ids.runId)).map(({ raw }) => raw).join("");
      expect(events).toContain(`seen ${canary}`);
    }
    expect(await contains(database, canary)).toBe(false);
    await using server = await openServer(database, { agents: [agent], encryption });
    expect((await server.client.log("agents/a", ids.runId)).map(({ raw }) => raw).join("")).toBe(events);
    expect(await server.client.record("agents/a", ids)).toMatchObject({ content: `answer ${canary}` });
    expect(await contains(database, canary)).toBe(false);
  });

  test("without encryption, the same text is found", async () => {
    const database = await openDatabase();
    const { store } = await openOn(database, { keyProvider: undefined });
    const key = await create(store, { sessionTitle: canary });
    await put(store, write(key, { segment: segment(0, 0, canary) }));
    expect([kind, await contains(database, canary)]).toEqual([kind, true]);
  });
});

async function resolveAll(address: URL, approvals: readonly { readonly id: string }[]): Promise<void> {
  for (const { id } of approvals) {
    const answered = await fetch(new URL(`/approvals/${id}/resolve`, address), {
      ...{ method: "POST", headers: { "content-type": "application/json" } },
      body: JSON.stringify({ status: "approved" }),
    });
    expect(answered.status).toBe(200);
  }
}
