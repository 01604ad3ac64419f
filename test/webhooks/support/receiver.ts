/** A receiver of webhooks, which checks every signature with the stock library. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

/** A message that the receiver accepted. */
export interface Received {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the messages without types
  readonly body: any;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** Accepted messages, in the order of their arrival. */
  readonly got: readonly Received[];
  /** Ids of all messages, also of those that were not accepted. */
  readonly asked: readonly string[];
  /** Answers this status from now on. */
  answer(status: number): void;
}

/** The secret that the tests use. */
export const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;

/** Starts a receiver on this machine. A message with a wrong signature gets 401. */
export async function openReceiver(known = secret, first = 200): Promise<Receiver> {
  const got: Received[] = [];
  const asked: string[] = [];
  let status = first;
  const stock = new Webhook(known);
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const id = String(request.headers["webhook-id"]);
    asked.push(id);
    try {
      const body = stock.verify(text, request.headers as Record<string, string>);
      if (status < 300) got.push({ id, body });
      response.writeHead(status).end();
    } catch {
      response.writeHead(401).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    got,
    asked,
    answer: (next) => {
      status = next;
    },
    [Symbol.asyncDispose]: close,
  };
}
