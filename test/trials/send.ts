/** Requests of the tests of feedback, datasets and experiments. */
import type { OpenServer } from "../support/open-server.ts";

/** An answer with its parsed body. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare any member of a body
  readonly body: any;
  readonly headers: Headers;
}

/** Sends a request, with a form or a JSON body. */
export async function send(
  server: Pick<OpenServer, "client">,
  method: string,
  path: string,
  body?: FormData | object,
  bearer?: string,
): Promise<Answer> {
  const isForm = body instanceof FormData;
  const response = await fetch(new URL(path, server.client.address), {
    method,
    headers: {
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      ...(body && !isForm && { "content-type": "application/json" }),
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text), headers: response.headers };
}

/** The path of the next page. */
export function nextOf({ headers }: Answer): string | undefined {
  return /^<(.+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
}

/** Starts a run of an agent and waits for its end. */
export async function runOf(
  server: Pick<OpenServer, "client">,
  agent: string,
  fields: Readonly<Record<string, string>>,
  bearer?: string,
): Promise<Answer["body"]> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ stream: "false", ...fields })) form.set(name, value);
  const { status, body } = await send(server, "POST", `/agents/${agent}/runs`, form, bearer);
  if (status !== 200) throw new Error(`The run was not accepted: ${status} ${JSON.stringify(body)}`);
  return body;
}
