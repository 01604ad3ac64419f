/** Frames of UI message streams: the same from every cursor, on every server, for every reader. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { shop } from "./support/shop.ts";

interface Frame {
  readonly id: string | undefined;
  readonly data: string;
}

/** Reads the frames of a response, without comments. */
async function framesOf(response: Response): Promise<Frame[]> {
  expect([response.status, response.headers.get("x-vercel-ai-ui-message-stream")]).toEqual([200, "v1"]);
  return (await response.text()).split("\n\n").flatMap((text) => {
    const data = /^data: (.*)$/m.exec(text)?.[1];
    return data === undefined ? [] : [{ id: /^id: (.*)$/m.exec(text)?.[1], data }];
  });
}

/** A request of a chat. `parts` are the parts of the last message. */
function send(
  url: string,
  id: string,
  message: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = JSON.stringify({ id, message, trigger: "submit-message" });
  return fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
}

async function detailOf(response: Response): Promise<unknown> {
  return ((await response.json()) as { readonly detail: unknown }).detail;
}

function said(text: string, id = "m1"): Record<string, unknown> {
  return { id, role: "user", parts: [{ type: "text", text }] };
}

eachDatabase("a UI message stream", (openDatabase) => {
  test("continues after every frame with exactly the following frames, and a repeated message starts no second run", async () => {
    await using server = await openServer(await openDatabase(), shop());
    const { origin } = server.client.address;
    for (const [path, text] of [
      ["agents/seller", "price"],
      ["agents/counter", "count"],
      ["teams/store", "price"],
      ["workflows/errand", "hello"],
    ]) {
      const url = `${origin}/ui/${path}`;
      const whole = await framesOf(await send(url, `chat ${path}`, said(text as string)));
      expect(whole.at(-1)).toEqual({ id: undefined, data: "[DONE]" });
      const ids = whole.slice(0, -1).map(({ id }) => id);
      expect(new Set(ids).size).toBe(whole.length - 1);
      const repeated = await send(url, `chat ${path}`, said(text as string));
      expect(repeated.headers.get("idempotency-replayed")).toBe("true");
      expect(await framesOf(repeated)).toEqual(whole);
      await fc.assert(
        fc.asyncProperty(fc.nat({ max: whole.length - 2 }), async (place) => {
          const headers = { "last-event-id": ids[place] as string };
          const resumed = await fetch(`${url}/${encodeURIComponent(`chat ${path}`)}/stream`, { headers });
          expect(await framesOf(resumed)).toEqual(whole.slice(place + 1));
        }),
        { numRuns: 20 },
      );
    }
  });

  test("an answered pause: the stream of the answer continues the frames of the pause, and a repeated answer changes nothing", async () => {
    await using server = await openServer(await openDatabase(), shop());
    const url = `${server.client.address.origin}/ui/agents/seller`;
    const before = await framesOf(await send(url, "c", said("order")));
    const request = before
      .map(({ data }) => (data === "[DONE]" ? {} : JSON.parse(data)))
      .find(({ type }) => type === "tool-approval-request");
    const { messageId } = JSON.parse(before[0]?.data ?? "");
    const part = {
      type: "tool-order",
      toolCallId: request.toolCallId,
      state: "approval-responded",
      approval: { id: request.approvalId, approved: true },
    };
    const answer = { id: messageId, role: "assistant", parts: [part] };
    const after = await framesOf(await send(url, "c", answer));
    const again = await send(url, "c", answer);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await framesOf(again)).toEqual(after);
    const headers = { "last-event-id": "-1" };
    const whole = await framesOf(await fetch(`${url}/c/stream`, { headers }));
    expect(whole).toEqual([...before.slice(0, -1), ...after]);
    const other = await send(url, "c", {
      ...answer,
      parts: [{ ...part, approval: { id: request.approvalId, approved: false } }],
    });
    expect([other.status, await detailOf(other)]).toEqual([409, "run is already completed"]);
  });

  test("a server that shuts down breaks the connection, so that the client does not take the answer for complete", async () => {
    const database = await openDatabase();
    let start = "";
    {
      await using server = await openServer(database, shop());
      const response = await send(`${server.client.address.origin}/ui/agents/seller`, "c", said("slow"));
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      const [, ended] = await Promise.all([
        server.end(0),
        (async () => {
          for (;;) {
            const { done, value } = await reader.read();
            if (done) return "ended";
            start += Buffer.from(value).toString();
          }
        })().catch(() => "broken"),
      ]);
      expect(ended).toBe("broken");
      expect(start).not.toContain("[DONE]");
    }
    await using server = await openServer(database, shop());
    const headers = { "last-event-id": "-1" };
    const frames = await framesOf(
      await fetch(`${server.client.address.origin}/ui/agents/seller/c/stream`, { headers }),
    );
    expect(frames.at(-1)?.data).toBe("[DONE]");
    expect(frames.at(-2)?.data).toContain('"finishReason":"stop"');
  });
});

test("another server process resumes and stops the run of a chat, with the same frames", async () => {
  await using database = await openDatabaseOf("postgres");
  await using one = await openServer(database, shop());
  await using other = await openServer(database, shop());
  const url = `${one.client.address.origin}/ui/agents/seller`;
  const there = `${other.client.address.origin}/ui/agents/seller/c`;
  const sent = await send(url, "c", said("endless"));
  const resumed = fetch(`${there}/stream`).then(framesOf);
  const reader = sent.clone();
  await sent.body?.getReader().read();
  const stopped = await fetch(`${there}/stop`, { method: "POST" });
  expect(await stopped.json()).toEqual({ stopped: [sent.headers.get("x-run-id")] });
  const frames = await resumed;
  expect(frames).toEqual(await framesOf(reader));
  expect(frames.at(-2)?.data).toContain('"finishReason":"interrupted"');
});

test("with isolated users, a chat of another user is as unknown as none", async () => {
  const pair = makePair();
  await using database = await openDatabaseOf("sqlite");
  const authorization = { verificationKeys: [pair.pem], algorithm: "RS256", userIsolation: true } as const;
  await using server = await openServer(database, shop({ authorization }));
  const url = `${server.client.address.origin}/ui/agents/seller`;
  const as = (sub: string, ...scopes: string[]) => bearer(token({ sub, scopes }, pair));
  const all = ["agents:run", "agents:read"];
  const frames = await framesOf(await send(url, "c", said("order"), as("alice", ...all)));
  const { messageId } = JSON.parse(frames[0]?.data ?? "");
  const from = async (sub: string, path: string, init: RequestInit = {}): Promise<unknown> => {
    const response = await fetch(`${url}${path}`, { ...init, headers: { ...as(sub, ...all), ...init.headers } });
    return [response.status, response.status === 204 ? undefined : await response.json()];
  };
  expect(await from("bob", "/c/messages")).toEqual([200, []]);
  expect(await from("bob", "/c/stream", { headers: { "last-event-id": "-1" } })).toEqual([204, undefined]);
  expect(await from("bob", "/c/stop", { method: "POST" })).toEqual([200, { stopped: [] }]);
  const answered = await send(url, "c", { id: messageId, role: "assistant", parts: [] }, as("bob", ...all));
  expect([answered.status, await detailOf(answered)]).toEqual([404, "Run not found"]);
  expect(((await from("alice", "/c/messages")) as [number, unknown[]])[1]).toHaveLength(2);
  expect((await fetch(`${url}/c/messages`)).status).toBe(401);
  expect((await send(url, "c", said("hello", "m2"), as("alice", "agents:read"))).status).toBe(403);
});

test("the operator's scope mappings for runs apply to chats", async () => {
  const pair = makePair();
  await using database = await openDatabaseOf("sqlite");
  const run = "/agents/{agent_id}/runs";
  const scopeMappings = {
    ...{ [`POST ${run}`]: ["launch"], [`POST ${run}/{run_id}/continue`]: ["approve"] },
    ...{ [`POST ${run}/{run_id}/cancel`]: ["halt"], [`POST ${run}/{run_id}/resume`]: ["watch"] },
    [`GET ${run}/{run_id}`]: ["look"],
  };
  const authorization = { verificationKeys: [pair.pem], algorithm: "RS256", scopeMappings } as const;
  await using server = await openServer(database, shop({ authorization }));
  const url = `${server.client.address.origin}/ui/agents/seller`;
  const as = (...scopes: string[]) =>
    bearer(token({ sub: "alice", scopes: ["agents:run", "agents:read", ...scopes] }, pair));
  const statusOf = async (sent: Promise<Response>): Promise<unknown> => (await sent).status;
  const launched = await framesOf(await send(url, "c", said("order"), as("launch")));
  const { messageId } = JSON.parse(launched[0]?.data ?? "");
  const ask = (path: string, method: string, ...scopes: string[]) =>
    statusOf(fetch(`${url}/c/${path}`, { method, headers: as(...scopes) }));
  expect(await statusOf(send(url, "c", said("hello", "m2"), as("approve")))).toBe(403);
  const answers = { id: messageId, role: "assistant", parts: [] };
  expect(await statusOf(send(url, "c", answers, as("launch")))).toBe(403);
  expect(await statusOf(send(url, "c", answers, as("approve")))).not.toBe(403);
  for (const [path, method, scope] of [
    ["stop", "POST", "halt"],
    ["stream", "GET", "watch"],
    ["messages", "GET", "look"],
  ] as const) {
    expect([path, await ask(path, method, "launch", "approve")]).toEqual([path, 403]);
    expect([path, await ask(path, method, scope)]).not.toEqual([path, 403]);
  }
});

test("a request that is not a chat's gets a 4xx that names the fault", async () => {
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, shop());
  const url = `${server.client.address.origin}/ui/agents/seller`;
  const post = async (body: unknown, headers: Record<string, string> = {}, to = url): Promise<unknown> => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(to, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: text,
    });
    const { detail } = (await response.json()) as { detail: unknown };
    return [response.status, typeof detail === "string" ? detail : JSON.stringify(detail)];
  };
  const parts = [{ type: "text", text: "x" }];
  const cases: readonly (readonly [unknown, number, string])[] = [
    ["{", 422, "JSON"],
    [{}, 422, "id"],
    [{ id: "c" }, 422, "messages or message"],
    [{ id: "c", messages: [] }, 422, "must be a message"],
    [{ id: "c", messages: "x" }, 422, "messages"],
    [{ id: "c", messages: [1] }, 422, "must be a message"],
    [{ id: "c", message: { id: "m", role: "system", parts } }, 422, "role"],
    [{ id: "c", message: { role: "user", parts } }, 422, "id"],
    [{ id: "c", message: { id: "m", role: "user", parts: "x" } }, 422, "list of parts"],
    [{ id: "c", message: { id: "m", role: "user", parts: [] } }, 422, "text or file"],
    [{ id: "c", message: { id: "m", role: "user", parts: [null] } }, 422, "part of a message"],
    [{ id: "c", message: { id: "m", role: "user", parts: [{ type: "text", text: 1 }] } }, 422, "must be a text"],
    [{ id: "c", message: { id: "m", role: "user", parts: [{ type: "file", url: "file:///etc" }] } }, 422, "address"],
    [{ id: "c", trigger: "other", message: { id: "m", role: "user", parts } }, 422, "trigger"],
    [{ id: "c", trigger: "regenerate-message", message: { id: "m", role: "user", parts } }, 404, "no answer"],
    [{ id: "c", message: { id: "unknown", role: "assistant", parts } }, 404, "Run not found"],
    [{ id: "\0", message: { id: "m", role: "user", parts } }, 422, "id"],
  ];
  for (const [body, status, text] of cases) {
    expect([body, await post(body)]).toEqual([body, [status, expect.stringContaining(text)]]);
  }
  const message = { id: "m", role: "user", parts };
  expect(await post({ id: "c", message }, { "last-event-id": "x" })).toEqual([422, expect.stringContaining("frame")]);
  expect(await post({ id: "c", message }, { "last-event-id": "3.0" })).toEqual([404, expect.any(String)]);
  expect(await post({ id: "c", message }, {}, url.replace("seller", "nobody"))).toEqual([404, "Agent not found"]);
  expect((await fetch(`${url.replace("seller", "nobody")}/c/stream`)).status).toBe(404);
  expect((await fetch(`${url}/c/messages?limit=1000`)).status).toBe(422);
});

test("without aiUi there are no routes", async () => {
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, shop({ aiUi: false }));
  expect((await send(`${server.client.address.origin}/ui/agents/seller`, "c", said("x"))).status).toBe(404);
});
