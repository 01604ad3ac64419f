/** Raw requests to AG-UI, and the stock client. */

import { HttpAgent } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";
import { expect } from "vitest";

// biome-ignore lint/suspicious/noExplicitAny: tests read members that the schemas have checked
export type Json = Record<string, any>;

/** A received frame. */
export interface Frame {
  readonly id: string | undefined;
  readonly event: Json;
  readonly text: string;
}

/** A body with one message, as clients of 1.0 send it. */
export function inputOf(text: string, more: Json = {}): Json {
  return {
    ...{ threadId: "thread-1", runId: `run-${Math.random()}`, protocolVersion: "1.0" },
    ...{ state: {}, tools: [], context: [], forwardedProps: {} },
    messages: [{ id: "m1", role: "user", content: text }],
    ...more,
  };
}

/** Sends a body to a path. */
export async function post(
  origin: string,
  path: string,
  body: Json,
  headers: Record<string, string> = {},
): Promise<Response> {
  const sent = { method: "POST", headers: { "content-type": "application/json", ...headers } };
  return await fetch(new URL(path, origin), { ...sent, body: JSON.stringify(body) });
}

/** Reads the frames of a stream, at most `count`; then it disconnects. Every event is valid by the schemas of the protocol. */
export async function framesOf(response: Response, count = Number.POSITIVE_INFINITY): Promise<Frame[]> {
  expect(response.status, response.ok ? "" : await response.clone().text()).toBe(200);
  const frames: Frame[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const frame = text.slice(0, end + 2);
      text = text.slice(end + 2);
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data === undefined) continue;
      const event = JSON.parse(data) as Json;
      EventSchemas.parse(event);
      frames.push({ id: /^id: (.*)$/m.exec(frame)?.[1], event, text: frame });
      if (frames.length === count) return frames;
    }
  }
  return frames;
}

/** The frames of a request. */
export async function run(
  origin: string,
  path: string,
  body: Json,
  headers?: Record<string, string>,
): Promise<Frame[]> {
  return await framesOf(await post(origin, path, body, headers));
}

/** The types of frames, without untranslated events. */
export function typesOf(frames: readonly Frame[]): string[] {
  return frames.map(({ event }) => String(event.type)).filter((type) => type !== "RAW");
}

/** The stock client for a path. */
export function stock(origin: string, path: string, threadId = "thread-1"): HttpAgent {
  return new HttpAgent({ url: new URL(path, origin).href, threadId });
}
