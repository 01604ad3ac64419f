/** The Telegram channel, against a double of the Bot API. */
import { expect, test } from "vitest";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { openApp, pixel, slowWords } from "./support/app.ts";
import { type Double, type Json, telegramDouble } from "./support/doubles.ts";
import { fromTelegram, telegramClick, telegramUpdate } from "./support/requests.ts";

const textsOf = (double: Double): string[] =>
  double.of("sendMessage", "editMessageText").map(({ fields }) => String(fields.text));

eachDatabase("Telegram", (openDatabase) => {
  test("a message is answered once, however often Telegram repeats the update, and an answer is edited while it grows", async () => {
    const double = await telegramDouble();
    await using app = await openApp(await openDatabase(), { telegram: { apiUrl: double.url } });
    const update = telegramUpdate("slow");
    await Promise.all([1, 2, 3].map(() => fromTelegram(app.origin, update)));
    await expect.poll(() => textsOf(double).at(-1)).toBe(slowWords.join("").trim());
    expect(double.of("sendMessage")).toHaveLength(1);
    expect(double.of("editMessageText").length).toBeGreaterThan(1);
  });
});

async function withTelegram(options: Json, work: (origin: string, double: Double) => Promise<void>): Promise<void> {
  const double = await telegramDouble();
  await using database = await openDatabaseOf("sqlite");
  await using app = await openApp(database, { telegram: { apiUrl: double.url, ...options } });
  await work(app.origin, double);
}

test("a long answer is several messages, in order, and posts wait for a rate limit", () =>
  withTelegram({}, async (origin, double) => {
    const parameters = { retry_after: 1 };
    double.failNext("sendMessage", {
      status: 429,
      json: { ok: false, error_code: 429, description: "Too Many Requests: retry after 1", parameters },
    });
    await fromTelegram(origin, telegramUpdate("long"));
    await expect.poll(() => double.of("sendMessage").length).toBe(4);
    const [, ...sent] = double.of("sendMessage").map(({ fields }) => String(fields.text));
    expect(sent.every((text) => text.length <= 4_096)).toBe(true);
    expect(sent.join(" ").replaceAll(/\s+/g, " ").trim()).toBe("0123456789 ".repeat(900).trim());
  }));

test("a group's message counts if it mentions the bot or replies to it; a topic is a session", () =>
  withTelegram({}, async (origin, double) => {
    const chat = { id: -100_200, type: "supergroup", title: "Team" };
    const topic = { chat, is_topic_message: true, message_thread_id: 7 };
    await fromTelegram(origin, telegramUpdate("just talking", { chat }));
    await fromTelegram(origin, telegramUpdate("hello @troupebot", topic));
    await expect.poll(() => textsOf(double).at(-1)).toBe("You said: hello");
    expect(double.of("sendMessage")[0]!.fields).toMatchObject({ chat_id: "-100200", message_thread_id: 7 });
    const replied = { ...topic, reply_to_message: { message_id: 1, from: { id: 42, is_bot: true } } };
    await fromTelegram(origin, telegramUpdate("history", replied));
    await expect.poll(() => textsOf(double).at(-1)).toBe("2 messages");
    expect(double.of("sendMessage")).toHaveLength(2);
  }));

test("buttons confirm a call for the person who asked, and tell others that they may not", () =>
  withTelegram({}, async (origin, double) => {
    await fromTelegram(origin, telegramUpdate("letter"));
    await expect.poll(() => double.of("sendMessage").length).toBe(1);
    const { reply_markup: markup } = double.of("sendMessage")[0]!.fields;
    const [[yes]] = (typeof markup === "string" ? JSON.parse(markup) : markup).inline_keyboard;
    expect(Buffer.byteLength(yes.callback_data)).toBeLessThanOrEqual(64);
    await fromTelegram(origin, telegramClick(yes.callback_data, 9, 1));
    expect(double.of("answerCallbackQuery")[0]!.fields.text).toBe("You may not answer this question.");
    await fromTelegram(origin, telegramClick(yes.callback_data, 1_111_111, 1));
    await expect.poll(() => textsOf(double).at(-1)).toBe("The tool said sent to Ada");
    expect(textsOf(double)).toContain("Approved by user 1111111.");
    // The person's button stops its spinner.
    expect(double.of("answerCallbackQuery").map(({ fields }) => fields.text ?? "")).toEqual([
      "You may not answer this question.",
      "",
    ]);
    await fromTelegram(origin, telegramClick(yes.callback_data, 1_111_111, 1));
    expect(double.of("answerCallbackQuery").at(-1)!.fields.text).toBe("This question is already answered.");
  }));

test("photos and documents reach the model", () =>
  withTelegram({}, async (origin, double) => {
    double.files.set("/file/bot42:test/documents/f1", Buffer.from("hello"));
    const photo = [{ file_id: "small" }, { file_id: "large" }];
    const document = { file_id: "d1", file_name: "a.txt", mime_type: "text/plain" };
    await fromTelegram(origin, telegramUpdate("", { text: undefined, caption: "look", photo, document }));
    await expect.poll(() => textsOf(double).at(-1)).toBe("You sent 1 files");
    expect(double.of("getFile").map(({ fields }) => fields.file_id)).toEqual(["d1", "large"]);
  }));

test("a file that the run makes is uploaded once after the answer, also if an upload is limited", () =>
  withTelegram({}, async (origin, double) => {
    const json = { ok: false, error_code: 429, description: "Too Many Requests", parameters: { retry_after: 1 } };
    double.failNext("sendPhoto", { status: 429, json });
    await fromTelegram(origin, telegramUpdate("draw"));
    await expect.poll(() => double.of("sendPhoto").length).toBe(2);
    expect(textsOf(double)).toEqual(["You said: draw"]);
    const { chat_id: chat, photo, ...files } = double.of("sendPhoto").at(-1)!.fields;
    expect([chat, photo]).toEqual(["1111111", expect.stringMatching(/^attach:/)]);
    expect(Object.values(files)).toEqual([Buffer.from(pixel, "base64").toString()]);
    const [sent] = double.of("sendMessage");
    expect(sent!.fields.link_preview_options).toEqual({ is_disabled: true });
  }));

test("requests without the secret token are rejected, and malformed updates change nothing", () =>
  withTelegram({}, async (origin, double) => {
    expect((await fromTelegram(origin, telegramUpdate("hi"), null)).status).toBe(401);
    expect((await fromTelegram(origin, telegramUpdate("hi"), "other")).status).toBe(401);
    for (const update of [{}, { update_id: 1 }, { update_id: 2, message: {} }, { update_id: 3, callback_query: {} }]) {
      expect((await fromTelegram(origin, update)).status).toBe(200);
    }
    const huge = { ...telegramUpdate("x".repeat(1_100_000)) };
    expect((await fromTelegram(origin, huge)).status).toBe(413);
    expect(double.calls).toEqual([]);
  }));

test("a chat that blocked the bot ends the delivery", () =>
  withTelegram({}, async (origin, double) => {
    const json = { ok: false, error_code: 403, description: "Forbidden: bot was blocked by the user" };
    double.failNext("sendMessage", { status: 403, json });
    await fromTelegram(origin, telegramUpdate("hello"));
    await expect.poll(() => double.of("sendMessage").length).toBe(1);
    await fromTelegram(origin, telegramUpdate("again"));
    await expect.poll(() => textsOf(double).at(-1)).toBe("You said: again");
    expect(double.of("sendMessage")).toHaveLength(2);
  }));
