/** The card of a component: the information that clients need to call it, and none of its internals except the names of its tools. */

import { isFactory } from "../../../define/factory.ts";
import type { Entry, Hosted } from "../../../define/platform.ts";
import { isRemote } from "../../../define/remote.ts";
import type { Tool } from "../../../define/tool.ts";
import type { Kind } from "../../../http/transport/kinds.ts";
import type { A2aOptions } from "../../../model/a2a.ts";
import type { AuthMode } from "../../../model/authorization.ts";

/** Path of a component's standard endpoints, below the component's path. */
export const restPath = "/rest";

/** A skill of a component. */
export interface Skill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples: readonly string[];
  readonly outputModes: readonly string[];
}

/** A way for callers to authenticate. */
export interface Security {
  readonly name: string;
  readonly scheme:
    | { readonly kind: "bearer"; readonly format: string | undefined; readonly description: string }
    | CookieScheme;
}

interface CookieScheme {
  readonly kind: "cookie";
  readonly cookie: string;
}

/** A card in a neutral form; each protocol version has its own JSON form. */
export interface Card {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly provider: A2aOptions["provider"] | undefined;
  /** URL of the JSON-RPC endpoint, which speaks both versions. */
  readonly rpcUrl: string;
  readonly restUrl: string;
  readonly inputModes: readonly string[];
  readonly outputModes: readonly string[];
  readonly skills: readonly Skill[];
  /** Whether clients can receive push notifications. */
  readonly pushes: boolean;
  /** Whether authenticated callers get an extended card. */
  readonly isExtendable: boolean;
  /** Alternatives; empty if no authentication is needed. */
  readonly securities: readonly Security[];
}

/** The settings of a card, beside the component. */
export interface CardSetting {
  readonly options: A2aOptions;
  /** Base URL of this server. */
  readonly base: string;
  readonly version: string;
  readonly mode: AuthMode;
  readonly tokenSource: "HEADER" | "COOKIE" | "BOTH";
  readonly cookieName: string;
  /** Whether the card is for authenticated callers. */
  readonly isExtended: boolean;
  readonly pushes: boolean;
}

/** The card of a component. A factory's and a remote component's card show only the name and description of the definition. */
export function cardOf(kind: Kind, component: Entry, setting: CardSetting): Card {
  const { options, base, version } = setting;
  const rpcUrl = `${base}/a2a/${kind.plural}/${encodeURIComponent(component.id)}`;
  const made = isFactory(component) || isRemote(component) ? undefined : component;
  const outputModes = made ? outputModesOf(made) : ["text/plain"];
  const { name, description = "" } = component;
  return {
    name,
    description,
    version,
    provider: options.provider,
    rpcUrl,
    restUrl: rpcUrl + restPath,
    inputModes: made ? inputModesOf(made) : ["text/plain", "application/json"],
    outputModes,
    skills: [ownSkill(kind, component, outputModes), ...(made ? skillsOf(made, outputModes, setting.isExtended) : [])],
    pushes: setting.pushes,
    isExtendable: setting.mode !== "none",
    securities: securitiesOf(setting),
  };
}

function ownSkill(kind: Kind, { id, name, description = "" }: Entry, outputModes: readonly string[]): Skill {
  return { id, name, description, tags: [kind.name], examples: [], outputModes };
}

/** The component's tools; for a team also its members, and on an extended card the members' tools and members. */
function skillsOf(component: Hosted, outputModes: readonly string[], isExtended: boolean): readonly Skill[] {
  const { id } = component;
  const toolSkills = toolsOf(component).map((tool) => ({
    ...{ id: `${id}/${tool.name}`, name: tool.name, description: tool.description, tags: ["tool"] },
    ...{ examples: [], outputModes },
  }));
  const members = component.kind === "team" ? component.members : [];
  const memberSkills = members.flatMap((member): readonly Skill[] => {
    const tags = ["member", member.kind];
    const text = member.description ?? member.role ?? "";
    const shown = { id: `${id}/${member.id}`, name: member.name, description: text, tags, examples: [], outputModes };
    const within = isExtended && !isRemote(member) ? skillsOf(member, outputModes, true) : [];
    return [shown, ...within.map((skill) => ({ ...skill, id: `${id}/${skill.id}` }))];
  });
  return [...toolSkills, ...memberSkills];
}

function toolsOf(component: Hosted): readonly Tool[] {
  return component.kind === "workflow" ? [] : component.tools;
}

/** The input types that a component declares; undefined for factories and remote components, whose types are unknown. */
export function declaredModes(component: Entry): readonly string[] | undefined {
  return isFactory(component) || isRemote(component) ? undefined : inputModesOf(component);
}

/**
 * Input types of a component. Workflows with an input schema of their own accept JSON only; if the definition of an agent or team sets no types, the
 * model's provider determines the accepted files.
 */
function inputModesOf(component: Hosted): readonly string[] {
  if (component.inputModes) return component.inputModes;
  if (component.kind === "workflow") {
    if (component.input) return component.input.def.type === "string" ? ["text/plain"] : ["application/json"];
    return ["text/plain", "application/json"];
  }
  const { model } = component;
  const files = typeof model === "object" && isPlain(model.supportedUrls) ? Object.keys(model.supportedUrls) : [];
  return [...new Set(["text/plain", "application/json", ...files.filter((type) => type !== "*" && type !== "*/*")])];
}

/** Some providers return the list asynchronously: the card omits types that are not known yet. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !("then" in value);
}

function outputModesOf({ output }: Hosted): readonly string[] {
  if (!output || output.def.type === "string") return ["text/plain"];
  return ["application/json"];
}

function securitiesOf({ mode, tokenSource, cookieName }: CardSetting): readonly Security[] {
  if (mode === "none") return [];
  const format = mode === "jwt" ? "JWT" : undefined;
  const description = mode === "jwt" ? "A JSON Web Token, or a service account's token" : "The server's security key";
  const bearer: Security = { name: "bearer", scheme: { kind: "bearer", format, description } };
  const cookie: Security = { name: "cookie", scheme: { kind: "cookie", cookie: cookieName } };
  if (mode === "security_key" || tokenSource === "HEADER") return [bearer];
  return tokenSource === "COOKIE" ? [cookie] : [bearer, cookie];
}
