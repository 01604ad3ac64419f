/** Doubles of the APIs of Slack and Telegram: they record calls, and answer some with a rate limit or an error. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

// biome-ignore lint/suspicious/noExplicitAny: tests read what was sent
export type Json = Record<string, any>;

/** A received call of a method. */
export interface Call {
  readonly method: string;
  readonly fields: Json;
}

/** An answer other than the usual one. */
export interface Fault {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json: Json;
}

/** An API double. */
export interface Double {
  readonly url: string;
  readonly calls: Call[];
  /** Calls of these methods. */
  of(...methods: string[]): Call[];
  /** Answers the next call of a method differently. */
  failNext(method: string, fault: Fault): void;
  /** Contents of files, by path. */
  readonly files: Map<string, Buffer>;
}

async function openDouble(answer: (call: Call, url: string) => Json, prefix: RegExp): Promise<Double> {
  const calls: Call[] = [];
  const files = new Map<string, Buffer>();
  const faults = new Map<string, Fault[]>();
  let url = "";
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? "";
      const file = files.get(path);
      if (request.method === "GET" && file) return response.end(file);
      const method = path.replace(prefix, "");
      const fields = await fieldsOf(request);
      const call = { method, fields };
      calls.push(call);
      const fault = faults.get(method)?.shift();
      const { status, headers = {}, json } = fault ?? { status: 200, json: answer(call, url) };
      response.writeHead(status, { "content-type": "application/json", ...headers });
      return response.end(JSON.stringify(json));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    calls,
    files,
    of: (...methods) => calls.filter(({ method }) => methods.includes(method)),
    failNext: (method, fault) => void faults.set(method, [...(faults.get(method) ?? []), fault]),
  };
}

async function fieldsOf(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/form-data")) {
    const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
    const entries = [...form].map(async ([name, value]) => [
      name,
      typeof value === "string" ? value : await value.text(),
    ]);
    return Object.fromEntries(await Promise.all(entries)) as Json;
  }
  const text = bytes.toString("utf8");
  if (type.includes("json")) return JSON.parse(text || "{}") as Json;
  const fields = Object.fromEntries(new URLSearchParams(text)) as Json;
  if (typeof fields.blocks === "string") fields.blocks = JSON.parse(fields.blocks);
  return fields;
}

/** A double of Slack's Web API. */
export async function slackDouble(): Promise<Double> {
  let number = 0;
  return await openDouble(({ method }, url) => {
    if (method === "chat.postMessage") return { ok: true, ts: `1700000000.${String(++number).padStart(6, "0")}` };
    if (method === "files.getUploadURLExternal") return { ok: true, upload_url: `${url}/api/upload`, file_id: "F1" };
    return { ok: true, files: [{ id: "F1" }] };
  }, /^\/api\//);
}

/** A double of Telegram's Bot API. */
export async function telegramDouble(): Promise<Double> {
  let number = 0;
  return await openDouble(({ method, fields }) => {
    const message = { message_id: ++number, chat: { id: fields.chat_id }, date: 1 };
    if (method === "getMe")
      return { ok: true, result: { id: 42, is_bot: true, first_name: "Bot", username: "TroupeBot" } };
    if (method === "getFile") return { ok: true, result: { file_id: fields.file_id, file_path: "documents/f1" } };
    return { ok: true, result: method === "answerCallbackQuery" ? true : message };
  }, /^\/bot[^/]+\//);
}
