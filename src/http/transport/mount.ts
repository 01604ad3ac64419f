/** Mounts a server in an application that has an HTTP server of its own. See docs/embedding.md. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { ConfigurationError } from "../../errors.ts";
import type { Log } from "../../model/runtime.ts";
import { markMounted } from "./mounted.ts";
import { exchange } from "./web-exchange.ts";

/** The parts of a server that a mount uses. */
interface MountParts {
  readonly app: FastifyInstance;
  readonly basePath: string;
  /** Starts the server once. */
  readonly start: () => Promise<void>;
  readonly log: Log;
}

/** The ways to mount a server. Their requests, responses and sockets are those of Node's HTTP server. */
interface Mounts {
  readonly handler: (request: object, response: object) => void;
  readonly fetch: (request: Request, client?: { readonly address?: string | undefined }) => Promise<Response>;
  readonly upgrade: (request: object, socket: object, head: Uint8Array) => boolean;
  readonly plugin: (host: FastifyInstance) => Promise<void>;
}

export function mount({ app, basePath, start, log }: MountParts): Mounts {
  /** A closed server answers 503. */
  const started = async (): Promise<void> => {
    if (!app.isClosing) await start();
  };
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    markMounted(response);
    const fail = (error: unknown): void => {
      log.error({ error }, "The mounted server did not start.");
      response.writeHead(503).end();
    };
    started().then(() => void app.server.emit("request", request, response), fail);
  };
  const handler: Mounts["handler"] = (request, response) =>
    serve(request as IncomingMessage, response as ServerResponse);
  const upgrade: Mounts["upgrade"] = (request, socket, head) => {
    const message = request as IncomingMessage;
    if (!app.upgrades.isMeant(message)) return false;
    const connection = socket as Socket;
    const fail = (error: unknown): void => {
      log.error({ error }, "The mounted server did not start.");
      connection.destroy();
    };
    started().then(() => void app.server.emit("upgrade", message, connection, head), fail);
    return true;
  };
  return {
    handler,
    upgrade,
    fetch: async (request, { address } = {}) => {
      await started();
      return await exchange(app.server, request, address);
    },
    plugin: async (host: FastifyInstance) => {
      if (host.prefix !== basePath) {
        const text = `The plugin has the prefix "${host.prefix}", and the server the basePath "${basePath}": they must be equal.`;
        throw new ConfigurationError(text);
      }
      // The platform reads bodies itself.
      host.removeAllContentTypeParsers();
      host.addContentTypeParser("*", (_request, _payload, done) => done(null));
      for (const url of ["/", "/*"]) {
        host.all(url, (request, reply) => {
          reply.hijack();
          serve(request.raw, reply.raw);
        });
      }
      const { server } = host;
      server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
        // Node leaves a connection that no listener takes open for ever.
        if (!upgrade(request, socket, head) && server.listenerCount("upgrade") === 1) socket.destroy();
      });
    },
  };
}
