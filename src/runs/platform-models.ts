/** The models that requests may name: those of the platform's own components. A request cannot use another model, because models cost money. */
import { otherModels } from "../define/component.ts";
import { isFactory } from "../define/factory.ts";
import { modelName } from "../define/model-name.ts";
import type { Component } from "../define/platform.ts";
import { isRemote } from "../define/remote.ts";
import { componentsWithin } from "../define/within.ts";
import type { Executor } from "../define/workflow/types.ts";
import type { CallableModel } from "../engine/model-call/model-adapter.ts";
import { modelOf, providerName } from "../engine/model-call/models.ts";
import { TroupeError } from "../errors.ts";
import type { RunParts } from "./parts.ts";

type Parts = Pick<RunParts, "registry">;

/** A model, and the component that has it: its limits apply, and the usage counts to it. */
export interface PlatformModel {
  readonly component: Component;
  readonly model: CallableModel;
}

/** A model that a request names. */
export interface WantedModel {
  /** `provider:model`, or the id of a model. */
  readonly id: string;
  /** Id or display name of the model's provider, in any case. Default: any. */
  readonly provider?: string | undefined;
}

/** The agents and teams that this platform executes itself, at any depth. */
export function localComponents({ registry }: Parts): readonly Component[] {
  const own = registry.hosted.filter((entry): entry is Executor => !isFactory(entry));
  return componentsWithin(own).filter((one): one is Component => !isRemote(one) && one.kind !== "workflow");
}

/** @throws TroupeError `validation` with the names of the models that there are */
export function findModel(parts: Parts, wanted: WantedModel): PlatformModel {
  const names = new Set<string>();
  const wantedProvider = wanted.provider?.toLowerCase();
  for (const component of localComponents(parts)) {
    for (const model of [component.model, ...otherModels(component)]) {
      const { provider, id } = modelName(model);
      const providerId = provider.split(".")[0] ?? provider;
      const name = `${providerId}:${id}`;
      const isProvider =
        wantedProvider === undefined ||
        [providerId, providerName(model)].some((one) => one.toLowerCase() === wantedProvider);
      if (isProvider && (wanted.id === name || wanted.id === id))
        return { component, model: modelOf(component, model) };
      names.add(name);
    }
  }
  const known = names.size === 0 ? "It has none." : `It has ${[...names].join(", ")}.`;
  const shown = wanted.provider === undefined ? wanted.id : `${wanted.provider}:${wanted.id}`;
  throw new TroupeError("validation", `No component of the platform has the model ${JSON.stringify(shown)}. ${known}`);
}
