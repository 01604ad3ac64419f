/** Runs that continue completed runs: regenerate, further input, fork. */
import { expect, test } from "vitest";
import { asRead } from "./support/answers.ts";
import type { Client, Fields } from "./support/client.ts";
import { eachServer } from "./support/server.ts";

const plain = "/agents/plain-agent/runs";
const tooled = "/agents/tool-agent/runs";
const duo = "/teams/duo-team/runs";

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Run = any;

async function started(client: Client, path: string, message: string, session: string): Promise<Run> {
  const { status, json } = await client.post(path, { message, stream: false, session_id: session });
  expect([status, json.status]).toEqual([200, "COMPLETED"]);
  return json;
}

const go = (client: Client, path: string, run: Run, fields: Fields, headers: Record<string, string> = {}) =>
  client.post(`${path}/${run.run_id}/continue`, { session_id: run.session_id, stream: false, ...fields }, headers);

const said = (run: Run): string[] => run.messages.map(({ role, content }: Run) => `${role}: ${content ?? ""}`);

const listed = async (client: Client, path: string, query: string): Promise<string[]> =>
  (await client.get(`${path}?${query}`)).json.map(({ run_id, status }: Run) => `${run_id} ${status}`);

eachServer("continue with fields that do not belong together", (client) => {
  test.each<[string, Fields]>([
    ["additional_instructions without a new run", { additional_instructions: "x" }],
    ["answers for a new run", { regenerate: true, tools: '[{"tool_call_id":"a","confirmed":true}]' }],
  ])("returns the errors about component, session and run before the error about %s", async (_, fields) => {
    const first = await started(client(), plain, "hello", "together");
    const answer = async (path: string, more: Fields): Promise<[number, string]> => {
      const { status, json } = await client().post(`${path}/continue`, { stream: false, ...fields, ...more });
      return [status, json.detail];
    };
    const session = { session_id: "together" };
    expect(await answer(`/agents/nope/runs/${first.run_id}`, session)).toEqual([404, "Agent not found"]);
    expect(await answer(`${plain}/${first.run_id}`, {})).toEqual([400, "session_id is required for this action"]);
    expect(await answer(`${plain}/nope`, session)).toEqual([404, "Run not found"]);
    expect(await answer(`${plain}/${first.run_id}`, session)).toEqual([400, expect.stringMatching(/new run/)]);
  });
});

eachServer("a run that continues a completed run", (client) => {
  test("with regenerate replaces the original in listings, filters and the history", async () => {
    const first = await started(client(), plain, "hello", "r1");
    const { status, json: again } = await go(client(), plain, first, { regenerate: true });
    expect([status, again.status, again.regenerated_from]).toEqual([200, "COMPLETED", first.run_id]);
    expect(again.run_id).not.toBe(first.run_id);
    expect([again.forked_from_run_id, again.forked_from_message_index]).toEqual([undefined, 1]);
    expect(again.messages[0]).toEqual(first.messages[0]);
    expect(again.messages[1].id).not.toBe(first.messages[1].id);
    expect(again.input).toEqual(first.input);
    expect(await listed(client(), plain, "session_id=r1")).toEqual([
      `${first.run_id} REGENERATED`,
      `${again.run_id} COMPLETED`,
    ]);
    expect(await listed(client(), plain, "session_id=r1&status=REGENERATED")).toEqual([`${first.run_id} REGENERATED`]);
    expect(await listed(client(), plain, "session_id=r1&status=COMPLETED")).toEqual([`${again.run_id} COMPLETED`]);
    const { json: old } = await client().get(`${plain}/${first.run_id}?session_id=r1`);
    expect(old).toEqual({ ...asRead(first), status: "REGENERATED" });
    const { json: session } = await client().get("/sessions/r1");
    expect(session.chat_history).toHaveLength(2);
    const twice = await go(client(), plain, first, { regenerate: true });
    expect([twice.status, twice.json.detail]).toEqual([409, `run is already regenerated, as ${again.run_id}`]);
    expect((await go(client(), plain, first, { regenerate: true, replace_original: false })).status).toBe(200);
  });

  test("with an input streams as a new run from index 0", async () => {
    const first = await started(client(), plain, "hello", "r2");
    const stream = await client().stream(`${plain}/${first.run_id}/continue`, { session_id: "r2", input: "and more" });
    const frames = await stream.all();
    expect(stream.runId).not.toBe(first.run_id);
    expect([frames[0]!.event, frames[0]!.data.event_index]).toEqual(["RunStarted", 0]);
    expect(frames.at(-1)).toMatchObject({
      event: "RunCompleted",
      data: { content: expect.stringMatching(/and more/) },
    });
    const { json } = await client().get(`${plain}/${stream.runId}?session_id=r2`);
    expect(json).toMatchObject({
      ...{ forked_from_run_id: first.run_id, forked_from_message_index: 2 },
      input: { input_content: "and more" },
    });
    expect(said(json)).toEqual([...said(first), "user: and more", expect.stringMatching(/^assistant: .*and more/)]);
    // Metrics exclude the messages that the run took over.
    const counted = json.messages.at(-1).metrics.input_tokens;
    expect([json.metrics.input_tokens, json.content]).toEqual([counted, json.messages.at(-1).content]);
  });

  test("with continue_from starts from any message, and calls the tools again that follow it", async () => {
    const first = await started(client(), tooled, "weather", "r3");
    expect(first.messages.map(({ role }: Run) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    const roles = async (from: string): Promise<[string, number, number]> => {
      const { json } = await go(client(), tooled, first, { continue_from: from, replace_original: false });
      expect([json.status, json.content]).toEqual(["COMPLETED", first.content]);
      return [json.messages.length.toString(), json.forked_from_message_index, json.tools?.length ?? 0];
    };
    expect(await roles("3")).toEqual(["4", 3, 0]);
    expect(await roles("2")).toEqual(["4", 2, 1]);
    expect(await roles("1")).toEqual(["4", 1, 1]);
    expect(await roles("last_user")).toEqual(["4", 1, 1]);
    expect(await roles("0")).toEqual(["4", 0, 1]);
    const { json: checkpoints } = await client().get(`${tooled}/${first.run_id}/checkpoints?session_id=r3`);
    const { json } = await go(client(), tooled, first, {
      continue_from: checkpoints.checkpoints.at(-1).continue_from,
      input: "thanks",
    });
    expect(json.messages).toHaveLength(6);
    const { json: shown } = await client().get(`${tooled}/${json.run_id}/checkpoints?session_id=r3`);
    expect(shown.checkpoints.at(-1)).toMatchObject({ message_index: 6, reason: "end" });
  });

  test("with regenerate and an input replaces the last input", async () => {
    const first = await started(client(), plain, "hello", "r4");
    const { json } = await go(client(), plain, first, { regenerate: true, input: "good bye" });
    expect(said(json)).toEqual(["user: good bye", expect.stringMatching(/good bye/)]);
  });

  test("has the history before the original run", async () => {
    const [one, two, three] = [
      await started(client(), plain, "one", "r5"),
      await started(client(), plain, "two", "r5"),
      await started(client(), plain, "three", "r5"),
    ];
    expect(one && three).toBeTruthy();
    const { json } = await go(client(), plain, two, { regenerate: true });
    // The scripted model counts its input: the same as the first time.
    expect(json.metrics.input_tokens).toBe(two.metrics.input_tokens);
    const { json: twice } = await go(client(), plain, json, { regenerate: true });
    expect(twice.metrics.input_tokens).toBe(two.metrics.input_tokens);
  });

  test("sends additional_instructions to the model only", async () => {
    const first = await started(client(), plain, "hello", "r6");
    const { json } = await go(client(), plain, first, { regenerate: true, additional_instructions: "In rhymes." });
    expect(json.metrics.input_tokens).toBeGreaterThan(first.metrics.input_tokens);
    expect(JSON.stringify(json)).not.toContain("rhymes");
  });

  test("with fork starts in a new session with the earlier history", async () => {
    await started(client(), plain, "one", "r7");
    const two = await started(client(), plain, "two", "r7");
    const { status, json } = await go(client(), plain, two, { fork: true, input: "three" });
    expect([status, json.status]).toEqual([200, "COMPLETED"]);
    expect(json.session_id).not.toBe("r7");
    expect(json).toMatchObject({ forked_from_run_id: two.run_id, forked_from_session_id: "r7" });
    expect(await listed(client(), plain, "session_id=r7")).toHaveLength(2);
    expect((await client().get(`${plain}/${two.run_id}?session_id=r7`)).json.status).toBe("COMPLETED");
    const { json: runs } = await client().get(`${plain}?session_id=${json.session_id}`);
    expect(runs.map(({ run_input }: Run) => run_input)).toEqual(["one", "three"]);
    // Without an input a fork has the same answer.
    const same = await go(client(), plain, two, { fork: true });
    expect([same.json.content, same.json.status]).toEqual([two.content, "COMPLETED"]);
    expect(said(same.json)).toEqual(said(two));
  });

  test("of a team regenerates, and keeps the members' answers before continue_from", async () => {
    const first = await started(client(), duo, "delegate hello", "r8");
    const { json } = await go(client(), duo, first, { regenerate: true });
    expect([json.status, json.regenerated_from]).toEqual(["COMPLETED", first.run_id]);
    expect(json.member_responses).toHaveLength(1);
    const { json: further } = await go(client(), duo, json, { continue_from: "3", replace_original: false });
    expect([further.content, further.member_responses ?? []]).toEqual([json.content, []]);
    expect((await client().get(`${duo}?session_id=r8&status=REGENERATED`)).json).toHaveLength(1);
  });

  test("only one of several concurrent regenerates succeeds, and the others return 409", async () => {
    const first = await started(client(), plain, "hello", "r9");
    const all = await Promise.all(Array.from({ length: 6 }, () => go(client(), plain, first, { regenerate: true })));
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(409)]);
    expect(await listed(client(), plain, "session_id=r9")).toHaveLength(2);
  });

  test("returns 400, 404, 409 or 422 with the reason for an invalid request", async () => {
    const first = await started(client(), tooled, "weather", "r10");
    for (const [fields, status, detail] of [
      [{}, 409, /^run is already completed$/],
      [{ continue_from: "end" }, 409, /^run is already completed$/],
      [{ tools: "[]" }, 409, /^run is already completed$/],
      [
        { continue_from: "weird" },
        400,
        /^Invalid continue_from\. Use 'end', 'last_user', or a numeric message index\.$/,
      ],
      [{ continue_from: "-1" }, 400, /^Invalid continue_from/],
      [{ continue_from: "1.5" }, 400, /^Invalid continue_from/],
      [{ continue_from: "5" }, 400, /^continue_from must be between 0 and 4$/],
      [{ continue_from: "4" }, 400, /has its answer/],
      [{ continue_from: "2", input: "x" }, 400, /calls without results \(get_weather\)/],
      [{ fork: true, replace_original: true }, 400, /replace_original/],
      [{ regenerate: true, tools: '[{"tool_call_id":"x","confirmed":true}]' }, 400, /leave tools out/],
      [{ regenerate: "maybe" }, 422, /regenerate/],
      [{ additional_instructions: "x" }, 400, /for a new run/],
      [{ regenerate: true, session_id: "" }, 400, /^session_id is required for this action$/],
      [{ regenerate: true, session_id: "other" }, 404, /^Run not found$/],
    ] as const) {
      const answer = await go(client(), tooled, first, fields);
      expect([fields, answer.status]).toEqual([fields, status]);
      expect(answer.json.detail).toMatch(detail);
    }
    expect(await listed(client(), tooled, "session_id=r10")).toEqual([`${first.run_id} COMPLETED`]);
    const flow = await client().post("/workflows/simple-flow/runs", { message: "x", stream: false, session_id: "r11" });
    const over = await go(client(), "/workflows/simple-flow/runs", flow.json, { regenerate: true });
    expect([over.status, over.json.detail]).toEqual([409, "run is already completed"]);
  });

  test("a paused run returns 409 for regenerate, input and continue_from, and can be forked", async () => {
    const path = "/agents/hitl-agent/runs";
    const { json: run } = await client().post(path, { message: "email", stream: false, session_id: "r12" });
    for (const fields of [{ regenerate: true }, { input: "x" }, { continue_from: "1" }]) {
      const answer = await go(client(), path, run, fields);
      expect([answer.status, answer.json.detail]).toEqual([409, expect.stringMatching(/^run is paused: /)]);
    }
    const { json: fork } = await go(client(), path, run, { fork: true });
    expect([fork.status, fork.requirements.length]).toEqual(["PAUSED", 1]);
    expect(fork.requirements[0].id).not.toBe(run.requirements[0].id);
    expect((await client().get(`${path}/${run.run_id}?session_id=r12`)).json).toEqual(asRead(run));
  });
});

eachServer("a forked session", (client) => {
  const fork = (session: string, query = "", path = "/agents/plain-agent") =>
    client().post(`${path}/sessions/${session}/fork${query}`, {});

  test("has the component's completed runs, which can be continued without changing the source session", async () => {
    const one = await started(client(), plain, "one", "f1");
    const two = await started(client(), plain, "two", "f1");
    await go(client(), plain, two, { regenerate: true });
    const { status, json } = await fork("f1");
    expect([status, json]).toEqual([200, { session_id: expect.any(String), forked_from_session_id: "f1" }]);
    const { json: runs } = await client().get(`${plain}?session_id=${json.session_id}`);
    expect(runs.map(({ run_input, status: at }: Run) => [run_input, at])).toEqual([
      ["one", "COMPLETED"],
      ["two", "COMPLETED"],
    ]);
    expect(runs[0]).toMatchObject({
      forked_from_run_id: one.run_id,
      forked_from_session_id: "f1",
      content: one.content,
    });
    const { json: copy } = await client().get(`${plain}/${runs[0].run_id}?session_id=${json.session_id}`);
    expect(copy.messages).toEqual(one.messages);
    const further = await go(client(), plain, copy, { input: "more" });
    expect([further.status, further.json.messages.length]).toEqual([200, 4]);
    expect(await listed(client(), plain, "session_id=f1")).toHaveLength(3);
    const { json: session } = await client().get(`/sessions/${json.session_id}`);
    expect(session).toMatchObject({ agent_id: "plain-agent", session_name: "one" });
    // The events stay in the source session: the copy's stream has a gap.
    const frames = await (await client().stream(`${plain}/${runs[1].run_id}/resume`)).all();
    expect(frames.map(({ event }) => event)).toEqual(["replay", "gap"]);
  });

  test("of a team has the members' runs", async () => {
    const run = await started(client(), duo, "delegate hello", "f2");
    const { json } = await fork("f2", "", "/teams/duo-team");
    const [copy] = (await client().get(`${duo}?session_id=${json.session_id}`)).json;
    const { json: record } = await client().get(`${duo}/${copy.run_id}?session_id=${json.session_id}`);
    expect(record.member_responses).toHaveLength(1);
    expect(record.member_responses[0].messages).toEqual(run.member_responses[0].messages);
    expect(record.member_responses[0].run_id).not.toBe(run.member_responses[0].run_id);
    expect(record.tools[0].child_run_id).toBe(record.member_responses[0].run_id);
  });

  test("returns 400 if the source has no runs of the component and user", async () => {
    await client().post("/sessions", { session_id: "f3" });
    await started(client(), plain, "one", "f4");
    for (const answer of [
      await fork("none"),
      await fork("f3"),
      await fork("f4", "", "/agents/tool-agent"),
      await fork("f4", "?user_id=nobody"),
    ]) {
      expect([answer.status, answer.json.detail]).toEqual([400, "Source session has no runs to fork."]);
    }
    const unknown = await fork("f4", "", "/agents/nope");
    expect([unknown.status, unknown.json.detail]).toEqual([404, "Agent not found"]);
  });
});

eachServer("a continue request with an Idempotency-Key", (client) => {
  const path = "/agents/hitl-agent/runs";
  let keys = 0;
  const keyed = () => ({ "idempotency-key": `continue-${keys++}` });
  const answered = (run: Run): Fields => ({
    tools: JSON.stringify(run.requirements.map(({ tool_execution }: Run) => ({ ...tool_execution, confirmed: true }))),
  });
  async function paused(session: string): Promise<Run> {
    return (await client().post(path, { message: "email", stream: false, session_id: session })).json;
  }

  test("takes effect once for concurrent and later repetitions", async () => {
    const run = await paused("k1");
    const headers = keyed();
    const all = await Promise.all(Array.from({ length: 6 }, () => go(client(), path, run, answered(run), headers)));
    expect(all.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
    expect(all.filter(({ headers: told }) => told["idempotency-replayed"] === "true")).toHaveLength(5);
    expect((await go(client(), path, run, answered(run), headers)).json).toEqual(all[0]!.json);
    expect((await go(client(), path, run, answered(run), keyed())).status).toBe(409);
    expect((await go(client(), path, run, answered(run))).status).toBe(409);
  });

  test("repeats its whole stream after a Last-Event-ID below -1", async () => {
    const [fields, headers] = [{ message: "hello", session_id: "below" }, keyed()];
    const first = await (await client().stream(plain, fields, headers)).all();
    const again = await client().stream(plain, fields, { ...headers, "last-event-id": "-5" });
    expect([again.status, await again.all()]).toEqual([200, first]);
  });

  test("repeats its stream, from the start or after Last-Event-ID", async () => {
    const run = await paused("k2");
    const headers = keyed();
    const fields = { session_id: "k2", ...answered(run) };
    const at = `${path}/${run.run_id}/continue`;
    const first = await (await client().stream(at, fields, headers)).all();
    const again = await (await client().stream(at, fields, headers)).all();
    expect(again).toEqual(first);
    const cursor = String(first[1]!.data.event_index);
    const rest = await (await client().stream(at, fields, { ...headers, "last-event-id": cursor })).all();
    expect(rest).toEqual(first.slice(2));
    const alone = await client().post(at, fields, { "last-event-id": cursor });
    expect([alone.status, alone.json.detail]).toEqual([400, expect.stringContaining("resume")]);
    const unknown = await client().post(at, fields, { ...keyed(), "last-event-id": cursor });
    expect([unknown.status, unknown.json.error_code]).toEqual([404, "NOT_FOUND"]);
  });

  test("of a new run creates one run for concurrent repetitions", async () => {
    const first = await started(client(), plain, "unforgettable", "k3");
    const headers = keyed();
    const all = await Promise.all(
      Array.from({ length: 6 }, () => go(client(), plain, first, { regenerate: true }, headers)),
    );
    expect(new Set(all.map(({ json }) => json.run_id)).size).toBe(1);
    expect(all.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await listed(client(), plain, "session_id=k3")).toHaveLength(2);
    const forks = keyed();
    const two = await Promise.all([1, 2, 3].map(() => go(client(), plain, first, { fork: true }, forks)));
    expect(new Set(two.map(({ json }) => json.session_id)).size).toBe(1);
    const { json: sessions } = await client().get("/sessions?session_name=unforgettable");
    expect(sessions.data.map(({ session_id }: Run) => session_id).sort()).toEqual(
      ["k3", two[0]!.json.session_id].sort(),
    );
  });

  test("returns 422 if the key belongs to another request", async () => {
    const run = await paused("k4");
    const headers = keyed();
    await go(client(), path, run, answered(run), headers);
    const other = await paused("k5");
    for (const answer of [
      await go(client(), path, run, { ...answered(run), background: true }, headers),
      await go(client(), path, other, answered(other), headers),
      await client().post(path, { message: "email", stream: false }, headers),
    ]) {
      expect([answer.status, answer.json.detail]).toEqual([422, expect.stringContaining("another request")]);
    }
  });

  test("of a workflow takes effect once, too", async () => {
    const flow = "/workflows/hitl-flow/runs";
    const { json: run } = await client().post(flow, { message: "x", stream: false, session_id: "k6" });
    const [requirement] = run.step_requirements;
    const fields = { step_requirements: JSON.stringify([{ ...requirement, confirmed: true }]) };
    const headers = keyed();
    const all = await Promise.all([1, 2, 3].map(() => go(client(), flow, run, fields, headers)));
    expect(all.map(({ status, json }) => [status, json.status])).toEqual(Array(3).fill([200, "COMPLETED"]));
  });
});
