/** A local server with the interface of model providers, which streams scripted answers. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** An answer: events of a stream, or a status with a body. */
export interface ProviderAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** SSE events: a text is sent unchanged, an object as JSON. With `named`, the object's `type` is the event's name. */
  readonly events?: readonly unknown[];
  readonly named?: boolean;
}

/** A received request. */
export interface ProviderRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped data
  readonly body: any;
}

export class ProviderServer implements AsyncDisposable {
  readonly requests: ProviderRequest[] = [];
  readonly #server: Server;
  readonly #answers: ProviderAnswer[];

  private constructor(answers: readonly ProviderAnswer[]) {
    this.#answers = [...answers];
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      this.requests.push({ path: request.url ?? "", headers: request.headers, body });
      const { status = 200, headers, json, events = [], named } = this.#answers.shift() ?? { status: 500, json: {} };
      if (json !== undefined) {
        response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(json));
        return;
      }
      response.writeHead(status, { "content-type": "text/event-stream", ...headers });
      for (const event of events) {
        const name = named ? `event: ${(event as { type: string }).type}\n` : "";
        response.write(`${name}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
      }
      response.end();
    });
  }

  static async answering(answers: readonly ProviderAnswer[]): Promise<ProviderServer> {
    const server = new ProviderServer(answers);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
