/** A server whose responses a test scripts, and which records its requests. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface HeardRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly heard: HeardRequest[];
}

/** Listens on a free port of loopback until it is disposed of. */
export async function scriptedServer(
  answer: (request: HeardRequest, response: ServerResponse) => void,
): Promise<ScriptedServer> {
  const heard: HeardRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const body = Buffer.concat(chunks).toString("utf8");
      heard.push({ method, url, headers, body });
      answer({ method, url, headers, body }, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
