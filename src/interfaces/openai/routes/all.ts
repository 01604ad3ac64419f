/** Every route of the OpenAI-compatible interface. */
import type { Route } from "../../../http/transport/route.ts";
import { chatRoutes } from "./chat.ts";
import { modelRoutes } from "./models.ts";
import { responseRoutes } from "./responses.ts";

/** The platform's routes for OpenAI clients; empty if they are off. */
export function openAiRoutes({ openai }: { readonly openai: boolean }): readonly Route[] {
  return openai ? [...modelRoutes, ...chatRoutes, ...responseRoutes] : [];
}
