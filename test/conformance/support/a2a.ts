/** A plain client of the platform's own A2A endpoints. */
import { type Answer, type Client, EventStream } from "./client.ts";
import type { Frame } from "./frames.ts";

/** A request with default members as clients of the description send it. */
export function request(text: string, message: object = {}, params: object = {}, envelope: object = {}): object {
  const said = { messageId: "m1", parts: [{ kind: "text", text }], ...message };
  return { jsonrpc: "2.0", id: "req-1", params: { message: said, ...params }, ...envelope };
}

/** Posts JSON. */
export function postJson(client: Client, path: string, body: unknown, headers = {}): Promise<Answer> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const all = { "content-type": "application/json", ...headers };
  return client.send(path, { method: "POST", headers: all, body: text });
}

/** Posts JSON and reads the response as a stream. */
export async function openStream(client: Client, path: string, body: unknown, headers = {}): Promise<EventStream> {
  const all = { "content-type": "application/json", ...headers };
  return new EventStream(await client.open(path, { method: "POST", headers: all, body: JSON.stringify(body) }));
}

/** All frames of a message's stream. */
export async function framesOf(client: Client, path: string, body: unknown, headers = {}): Promise<Frame[]> {
  return await (await openStream(client, path, body, headers)).all();
}

export const results = (frames: readonly Frame[]) => frames.map(({ data }) => data.result);

/** The text of the answer, without members' messages. */
export function answerIn(frames: readonly Frame[]): string {
  return frames
    .filter(({ event, data }) => event === "Message" && data.result.metadata.agno_content_category === "content")
    .map(({ data }) => data.result.parts.map(({ text }: { text: string }) => text).join(""))
    .join("");
}
