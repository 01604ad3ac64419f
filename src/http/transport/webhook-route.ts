/** Routes for requests of other services to interfaces, such as a chat platform's events. They serve every client: the interface checks who sent the request. */
import { TroupeError } from "../../errors.ts";
import { readBytes } from "../input/body.ts";
import { type Route, route } from "./route.ts";
import type { WebhookAnswer, WebhookRequest } from "./services.ts";

/** Maximum length of a body, in bytes. */
const maxBytes = 1024 * 1024;

/** Seconds after which the other service may repeat a request that could not be answered. */
const retryAfter = 5;

/** The route of a path. `receive` is undefined while the interface is not open. */
export function webhookRoute(
  path: string,
  receive: (path: string) => ((request: WebhookRequest) => Promise<WebhookAnswer>) | undefined,
): Route {
  return route({
    method: "POST",
    path,
    access: "open",
    async handle({ services, request, reply }) {
      const body = await readBytes(request.raw, maxBytes);
      const answerTo = receive(path);
      if (!answerTo) throw new TroupeError("unavailable", "The interface is not open.", { retryAfter });
      const headers = request.headers as WebhookRequest["headers"];
      try {
        const { status, json } = await answerTo({ path, headers, body });
        reply.code(status);
        return json ?? {};
      } catch (error) {
        services.runtime.log.warn({ error, path }, "A request of another service failed; the service may repeat it.");
        throw new TroupeError("unavailable", "The request cannot be processed now.", { retryAfter });
      }
    },
  });
}
