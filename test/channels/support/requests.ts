/** Requests of Slack and Telegram, in the form that their documentation shows. */
import { createHmac } from "node:crypto";
import type { Json } from "./doubles.ts";

export const signingSecret = "8f742231b10e8888abcd99yyyzzz85a5";
export const secretToken = "telegram-secret";

/** Sends a body that Slack signed. */
export async function fromSlack(
  origin: string,
  path: string,
  body: string,
  { secret = signingSecret, age = 0 }: { readonly secret?: string; readonly age?: number } = {},
): Promise<Response> {
  const timestamp = String(Math.floor(Date.now() / 1000) - age);
  const signature = `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`;
  return await fetch(new URL(path, origin), {
    method: "POST",
    headers: {
      "content-type": body.startsWith("payload=") ? "application/x-www-form-urlencoded" : "application/json",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": signature,
      "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
    },
    body,
  });
}

let number = 0;

/** An `event_callback` of Slack with a direct message. */
export function slackEvent(text: string, event: Json = {}): string {
  const ts = `16000000${String(++number).padStart(2, "0")}.000100`;
  return JSON.stringify({
    ...{ token: "z26uFbvR1xHJEdHE1OQiO6t8", team_id: "T061EG9R6", api_app_id: "A0MDYCDME", type: "event_callback" },
    ...{ event_id: `Ev${number}`, event_time: 1_600_000_000, is_ext_shared_channel: false },
    authorizations: [{ enterprise_id: null, team_id: "T061EG9R6", user_id: "U0LAN0Z89", is_bot: true }],
    event: {
      ...{ type: "message", channel: "D024BE91L", user: "U2147483697", text, ts, event_ts: ts, channel_type: "im" },
      ...event,
    },
  });
}

/** The body of a click on a button of a posted message. */
export function slackClick(value: string, user: string, more: Json = {}): string {
  const payload = {
    ...{ type: "block_actions", team: { id: "T061EG9R6" }, user: { id: user }, trigger_id: "1" },
    container: { type: "message", message_ts: "1700000000.000001", channel_id: "D024BE91L", is_ephemeral: false },
    channel: { id: "D024BE91L" },
    actions: [{ action_id: "troupe-0", type: "button", value, action_ts: `${Date.now()}.${++number}` }],
    ...more,
  };
  return `payload=${encodeURIComponent(JSON.stringify(payload))}`;
}

/** Sends an update of Telegram. */
export async function fromTelegram(
  origin: string,
  update: Json,
  token: string | null = secretToken,
): Promise<Response> {
  return await fetch(new URL("/telegram/webhook", origin), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token !== null && { "X-Telegram-Bot-Api-Secret-Token": token }),
    },
    body: JSON.stringify(update),
  });
}

/** An update with a message in a private chat. */
export function telegramUpdate(text: string, message: Json = {}): Json {
  return {
    update_id: 10_000 + ++number,
    message: {
      ...{ message_id: 1365, date: 1_441_645_532, text },
      chat: { id: 1_111_111, type: "private", first_name: "Ada", username: "Ada" },
      from: { id: 1_111_111, is_bot: false, first_name: "Ada", username: "Ada" },
      ...message,
    },
  };
}

/** An update with a click on a button. */
export function telegramClick(data: string, userId: number, messageId: number): Json {
  return {
    update_id: 10_000 + ++number,
    callback_query: {
      ...{ id: "4382bfdwdsb323b2d9", chat_instance: "1", data },
      from: { id: userId, is_bot: false, first_name: "Ada" },
      message: { message_id: messageId, chat: { id: 1_111_111, type: "private" }, date: 1, text: "Approve?" },
    },
  };
}
