/** The component that a hook uses, by its kind and id. */
import type { ComponentKind } from "../../src/model/run/run.ts";
import type { Client, Component } from "../client.ts";
import type { AnyTypes, ComponentTypes, IdOf, TypesOfId } from "../typed.ts";

/** Names a component: `{ agent: "guide" }`, `{ team: "desk" }` or `{ workflow: "trip" }`. With the type of a platform, only ids of its components are accepted. */
export type ComponentOf<Platform = unknown> =
  | { readonly agent: IdOf<Platform, "agent"> }
  | { readonly team: IdOf<Platform, "team"> }
  | { readonly workflow: IdOf<Platform, "workflow"> };

/** The kind of a named component. */
export type KindOf<Of> = Of extends { readonly agent: string }
  ? "agent"
  : Of extends { readonly team: string }
    ? "team"
    : "workflow";

/** The types of a named component. */
export type TypesOf<Platform, Of> = Of extends { readonly agent: infer Id extends string }
  ? TypesOfId<Platform, "agent", Id>
  : Of extends { readonly team: infer Id extends string }
    ? TypesOfId<Platform, "team", Id>
    : Of extends { readonly workflow: infer Id extends string }
      ? TypesOfId<Platform, "workflow", Id>
      : AnyTypes;

/** The input of a component's runs. */
export type InputOf<Platform, Of> = TypesOf<Platform, Of>["input"];

/** The content of a component's completed runs. */
export type ContentOf<Platform, Of> = TypesOf<Platform, Of>["content"];

/** The kind and the id in a name. */
export function partsOf(of: object): readonly [kind: ComponentKind, id: string] {
  const [kind, id] = Object.entries(of)[0] ?? [];
  if ((kind !== "agent" && kind !== "team" && kind !== "workflow") || typeof id !== "string") {
    throw new TypeError('Name a component: { agent: "…" }, { team: "…" } or { workflow: "…" }.');
  }
  return [kind, id];
}

/** The component of a client. */
export function componentOf<Types extends ComponentTypes>(
  client: Client,
  kind: ComponentKind,
  id: string,
): Component<ComponentKind, Types> {
  return client[kind](id) as unknown as Component<ComponentKind, Types>;
}
