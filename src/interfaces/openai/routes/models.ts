/** `GET /v1/models`: the components that the caller may run. */
import { z } from "zod";
import { named } from "../../../http/input/named-schemas.ts";
import { type Call, type Route, route } from "../../../http/transport/route.ts";
import { toErrorAnswer } from "../errors.ts";
import { modelPath } from "../input/response.ts";
import { componentOf, modelOf, noModel } from "../names.ts";
import { errorAnswers, routeDefaults } from "./defaults.ts";

const model = named(
  "OpenAiModel",
  z.object({ id: z.string(), object: z.literal("model"), created: z.int(), owned_by: z.string() }),
);

type Model = z.output<typeof model>;

export const modelRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/v1/models",
    access: "caller",
    errorForm: toErrorAnswer,
    operation: {
      ...routeDefaults,
      id: "openai_list_models",
      summary: "List the components that the caller may run, as models",
      success: {
        200: { description: "Models", json: z.object({ object: z.literal("list"), data: z.array(model) }) },
        ...errorAnswers(401),
      },
    },
    handle: (call) => ({ object: "list", data: modelsOf(call) }),
  }),
  route({
    method: "GET",
    path: "/v1/models/{model}",
    access: "caller",
    errorForm: toErrorAnswer,
    operation: {
      ...routeDefaults,
      id: "openai_get_model",
      summary: "Get a component as a model",
      success: { 200: { description: "The model", json: model }, ...errorAnswers(401, 404) },
    },
    pathParams: modelPath,
    handle(call) {
      const name = modelOf(componentOf(call.path.model));
      const found = modelsOf(call).find(({ id }) => id === name);
      if (!found) throw noModel(call.path.model);
      return found;
    },
  }),
];

/** The models that the caller may run. Components have no time of creation. */
function modelsOf({
  services,
  caller,
}: Pick<Call<unknown, unknown, unknown>, "services" | "caller">): readonly Model[] {
  return (["agent", "team", "workflow"] as const).flatMap((kind) =>
    services.runs.components(caller, "start", kind).map(({ id: componentId }) => {
      return { id: modelOf({ kind, componentId }), object: "model", created: 0, owned_by: "troupe" } as const;
    }),
  );
}
