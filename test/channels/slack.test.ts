/** The Slack channel, against a double of Slack's Web API. */
import { expect, test } from "vitest";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { openApp, slowWords } from "./support/app.ts";
import { type Call, type Double, type Json, slackDouble } from "./support/doubles.ts";
import { fromSlack, slackClick, slackEvent } from "./support/requests.ts";

/** The text that a channel shows: of each message the last edit. */
function shown(double: Double): string[] {
  const texts = new Map<string, string>();
  let number = 0;
  for (const { method, fields } of double.of("chat.postMessage", "chat.update")) {
    const ts = method === "chat.update" ? fields.ts : `1700000000.${String(++number).padStart(6, "0")}`;
    texts.set(ts, fields.blocks[0].text);
  }
  return [...texts.values()];
}

function buttonsIn({ fields }: Call): Json[] {
  return fields.blocks.find(({ type }: Json) => type === "actions")?.elements ?? [];
}

eachDatabase("Slack", (openDatabase) => {
  test("a direct message is answered once, however often Slack repeats the event, and the chat is a session", async () => {
    const double = await slackDouble();
    await using app = await openApp(await openDatabase(), { slack: { apiUrl: `${double.url}/api/` } });
    const event = slackEvent("hello &amp; welcome");
    const answers = await Promise.all([1, 2, 3].map(() => fromSlack(app.origin, "/slack/events", event)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await expect.poll(() => shown(double)).toEqual(["You said: hello & welcome"]);
    expect(double.of("chat.postMessage")[0]!.fields).toMatchObject({ channel: "D024BE91L" });
    await fromSlack(app.origin, "/slack/events", slackEvent("history"));
    await expect.poll(() => shown(double).at(-1)).toBe("2 messages");
    expect(double.of("chat.postMessage")).toHaveLength(2);
  });

  test("a slow answer is posted and edited while it grows, and edits wait for a rate limit", async () => {
    const double = await slackDouble();
    await using app = await openApp(await openDatabase(), { slack: { apiUrl: `${double.url}/api/` } });
    const limited = { status: 429, headers: { "retry-after": "1" }, json: { ok: false, error: "ratelimited" } };
    double.failNext("chat.update", limited);
    await fromSlack(app.origin, "/slack/events", slackEvent("slow"));
    await expect.poll(() => shown(double)).toEqual([slowWords.join("").trim()]);
    expect(double.of("chat.postMessage")).toHaveLength(1);
    expect(double.of("chat.update").length).toBeGreaterThan(1);
  });
});

async function withSlack(options: Json, work: (origin: string, double: Double) => Promise<void>): Promise<void> {
  const double = await slackDouble();
  await using database = await openDatabaseOf("sqlite");
  await using app = await openApp(database, { slack: { apiUrl: `${double.url}/api/`, ...options } });
  await work(app.origin, double);
}

test("a mention starts a thread, and replies in it belong to the session; other messages of the channel are ignored", () =>
  withSlack({}, async (origin, double) => {
    const inChannel = { channel: "C1", channel_type: "channel" };
    const ts = "1500000000.000001";
    await fromSlack(origin, "/slack/events", slackEvent("just talking", inChannel));
    await fromSlack(
      origin,
      "/slack/events",
      slackEvent("<@U0LAN0Z89> hello", { ...inChannel, type: "app_mention", ts }),
    );
    await expect.poll(() => shown(double)).toEqual(["You said: hello"]);
    expect(double.of("chat.postMessage")[0]!.fields).toMatchObject({ channel: "C1", thread_ts: ts });
    await fromSlack(origin, "/slack/events", slackEvent("history", { ...inChannel, thread_ts: ts }));
    await expect.poll(() => shown(double).at(-1)).toBe("2 messages");
    for (const more of [{ bot_id: "B1" }, { subtype: "message_changed" }, { user: undefined }]) {
      expect((await fromSlack(origin, "/slack/events", slackEvent("x", more))).status).toBe(200);
    }
    expect(double.of("chat.postMessage")).toHaveLength(2);
  }));

test("a long answer is several messages, and a failure is named", () =>
  withSlack({}, async (origin, double) => {
    await fromSlack(origin, "/slack/events", slackEvent("long"));
    await expect.poll(() => shown(double).length).toBe(1);
    await fromSlack(origin, "/slack/events", slackEvent("explode"));
    await expect.poll(() => shown(double).at(-1)).toBe("The run failed: the model exploded");
  }));

test("a confirmation is a pair of buttons: the person who asked answers it, and nobody else", () =>
  withSlack({}, async (origin, double) => {
    await fromSlack(origin, "/slack/events", slackEvent("letter"));
    await expect.poll(() => double.of("chat.postMessage").flatMap(buttonsIn).length).toBe(2);
    const [yes] = double.of("chat.postMessage").flatMap(buttonsIn);
    expect(shown(double)[0]).toContain('send_letter({"to":"Ada"})');
    await fromSlack(origin, "/slack/interactions", slackClick(yes!.value, "U999"));
    await fromSlack(origin, "/slack/interactions", slackClick(yes!.value, "U2147483697"));
    await expect.poll(() => shown(double).at(-1)).toBe("The tool said sent to Ada");
    expect(shown(double)[0]).toBe("Approved by <@U2147483697>.");
    const before = double.calls.length;
    await fromSlack(origin, "/slack/interactions", slackClick(yes!.value, "U2147483697"));
    await fromSlack(origin, "/slack/interactions", slackClick("nonsense", "U2147483697"));
    expect(double.calls.length).toBe(before);
  }));

test("an approval needs an approver, and a rejection reaches the model", () =>
  withSlack({ approvers: ["UBOSS"] }, async (origin, double) => {
    await fromSlack(origin, "/slack/events", slackEvent("pay"));
    await expect.poll(() => double.of("chat.postMessage").flatMap(buttonsIn).length).toBe(2);
    const [, no] = double.of("chat.postMessage").flatMap(buttonsIn);
    await fromSlack(origin, "/slack/interactions", slackClick(no!.value, "U2147483697"));
    expect(double.of("chat.update")).toHaveLength(0);
    await fromSlack(origin, "/slack/interactions", slackClick(no!.value, "UBOSS"));
    await expect.poll(() => shown(double).at(-1)).toMatch(/^The tool said/);
    expect(shown(double).join()).not.toContain("paid");
  }));

test("files of a message reach the model; files of other servers are not read", () =>
  withSlack({}, async (origin, double) => {
    double.files.set("/files-pri/f1", Buffer.from("hello"));
    const file = (url: string): Json => ({
      id: "F1",
      name: "a.txt",
      mimetype: "text/plain",
      url_private_download: url,
    });
    const event = { subtype: "file_share", files: [file(`${double.url}/files-pri/f1`), file("http://127.0.0.1:1/x")] };
    await fromSlack(origin, "/slack/events", slackEvent("look", event));
    await expect.poll(() => shown(double)).toEqual(['You said: look<file name="a.txt">\nhello\n</file>']);
  }));

test("a question for one value is answered by a reply, once; a text that is no value is refused", () =>
  withSlack({}, async (origin, double) => {
    await fromSlack(origin, "/slack/events", slackEvent("room"));
    await expect.poll(() => shown(double).at(-1)).toMatch(/Reply with .*guests.*, a whole number\.$/);
    await fromSlack(origin, "/slack/events", slackEvent("many"));
    await expect.poll(() => shown(double).at(-1)).toMatch(/^I cannot use this answer\. Reply with/);
    const reply = slackEvent("3");
    for (const _ of [1, 2]) expect((await fromSlack(origin, "/slack/events", reply)).status).toBe(200);
    await expect.poll(() => shown(double).at(-1)).toBe("The tool said booked for 3 in Rome");
    expect((await fromSlack(origin, "/slack/events", reply)).status).toBe(200);
    await fromSlack(origin, "/slack/events", slackEvent("thanks"));
    await expect.poll(() => shown(double).at(-1)).toBe("You said: thanks");
    expect(shown(double)).not.toContain("You said: 3");
  }));

test("a message of another person is no answer to the question", () =>
  withSlack({}, async (origin, double) => {
    await fromSlack(origin, "/slack/events", slackEvent("room"));
    await expect.poll(() => shown(double).at(-1)).toMatch(/Reply with/);
    await fromSlack(origin, "/slack/events", slackEvent("4", { user: "U999" }));
    await expect.poll(() => shown(double).at(-1)).toBe("You said: 4");
  }));

test("a file that the run makes is uploaded once after the answer, also if an upload is limited", () =>
  withSlack({}, async (origin, double) => {
    const limited = { status: 429, headers: { "retry-after": "1" }, json: { ok: false, error: "ratelimited" } };
    double.failNext("files.getUploadURLExternal", limited);
    await fromSlack(origin, "/slack/events", slackEvent("draw"));
    await expect.poll(() => double.of("files.completeUploadExternal").length).toBe(1);
    expect(shown(double)).toEqual(["You said: draw"]);
    expect(double.of("files.completeUploadExternal")[0]!.fields).toMatchObject({ channel_id: "D024BE91L" });
    expect(double.of("files.getUploadURLExternal").at(-1)!.fields).toMatchObject({ filename: "image-1" });
    expect(double.of("upload")).toHaveLength(1);
  }));

test("a question links to the run in the console if the server's address is known", () =>
  withSlack({ url: "https://agents.example/" }, async (origin, double) => {
    await fromSlack(origin, "/slack/events", slackEvent("letter"));
    await expect.poll(() => shown(double).length).toBe(1);
    const [run] = (await (await fetch(new URL("/agents/clerk/runs", origin))).json()) as Json[];
    const session = encodeURIComponent("slack:T061EG9R6:D024BE91L");
    const page = `https://agents.example/console/runs/agent/clerk/${run!.run_id}?session=${session}`;
    expect(shown(double)[0]).toContain(`Details: ${page}`);
  }));

test("an answer has no previews of links, and does not notify a whole channel", () =>
  withSlack({}, async (origin, double) => {
    await fromSlack(origin, "/slack/events", slackEvent("&lt;!channel&gt; and <!here> &lt;!DOCTYPE html&gt;"));
    await expect.poll(() => shown(double)).toEqual(["You said: <\u200b!channel> and <\u200b!here> <!DOCTYPE html>"]);
    expect(double.of("chat.postMessage")[0]!.fields).toMatchObject({ unfurl_links: "false", unfurl_media: "false" });
  }));

test("with authorization on, the channel's runs belong to the user of its token, which needs the scope", async () => {
  const pair = makePair();
  const access = (...scopes: string[]): string => token({ sub: "bot", scopes }, pair);
  const authorization = { verificationKeys: [pair.pem] };
  for (const [scope, expected] of [
    ["agents:run", "You said: hello"],
    ["teams:run", "I cannot answer this message: Insufficient permissions. Required scope(s): agents:run"],
  ] as const) {
    const double = await slackDouble();
    await using database = await openDatabaseOf("sqlite");
    const slack = { apiUrl: `${double.url}/api/`, access: access(scope) };
    await using app = await openApp(database, { slack }, { authorization });
    await fromSlack(app.origin, "/slack/events", slackEvent("hello"));
    await expect.poll(() => shown(double)).toEqual([expected]);
    const headers = bearer(token({ sub: "bot", scopes: ["agents:read", "sessions:read"] }, pair));
    const response = await fetch(new URL("/sessions?type=agent", app.origin), { headers });
    const { data } = (await response.json()) as { data: { user_id?: string }[] };
    expect(data.map(({ user_id }) => user_id)).toEqual(scope === "agents:run" ? ["bot"] : []);
    expect((await fetch(new URL("/sessions?type=agent", app.origin))).status).toBe(401);
  }
});

test("requests without a valid, recent signature are rejected, and the address is verified", () =>
  withSlack({ users: ["U1"] }, async (origin, double) => {
    const event = slackEvent("hello");
    expect((await fromSlack(origin, "/slack/events", event, { secret: "other" })).status).toBe(401);
    expect((await fromSlack(origin, "/slack/events", event, { age: 301 })).status).toBe(401);
    expect((await fetch(new URL("/slack/events", origin), { method: "POST", body: event })).status).toBe(401);
    const verification = JSON.stringify({ type: "url_verification", challenge: "3eZbrw1a", token: "x" });
    expect(await (await fromSlack(origin, "/slack/events", verification)).json()).toEqual({ challenge: "3eZbrw1a" });
    for (const body of [
      "",
      "x",
      "[]",
      "null",
      '{"type":"event_callback"}',
      '{"type":"event_callback","event":{"type":"message"}}',
    ]) {
      expect((await fromSlack(origin, "/slack/events", body)).status).toBe(200);
    }
    // The user is not among those that are answered.
    expect((await fromSlack(origin, "/slack/events", event)).status).toBe(200);
    expect(double.calls).toEqual([]);
  }));
