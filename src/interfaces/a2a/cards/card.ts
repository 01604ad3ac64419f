/** The card of a component: the information that clients need to call it, and none of its internals except the names of its tools. */

import type { Kind } from "../../../http/transport/kinds.ts";
import type { A2aOptions } from "../../../model/a2a.ts";
import type { AuthMode } from "../../../model/authorization.ts";
import type { ComponentDescription, MemberDescription } from "../../../runs/describe.ts";

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
export function cardOf(kind: Kind, component: ComponentDescription, setting: CardSetting): Card {
  const { options, base, version } = setting;
  const rpcUrl = `${base}/a2a/${kind.plural}/${encodeURIComponent(component.id)}`;
  const { name, description, inputTypes = ["text/plain", "application/json"] } = component;
  const { outputTypes: outputModes = ["text/plain"] } = component;
  return {
    name,
    description,
    version,
    provider: options.provider,
    rpcUrl,
    restUrl: rpcUrl + restPath,
    inputModes: inputTypes,
    outputModes,
    skills: [ownSkill(kind, component, outputModes), ...skillsOf(component, outputModes, setting.isExtended)],
    pushes: setting.pushes,
    isExtendable: setting.mode !== "none",
    securities: securitiesOf(setting),
  };
}

function ownSkill(kind: Kind, { id, name, description }: ComponentDescription, outputModes: readonly string[]): Skill {
  return { id, name, description, tags: [kind.name], examples: [], outputModes };
}

/** The component's tools; for a team also its members, and on an extended card the members' tools and members. */
function skillsOf(
  { id, tools, members }: Pick<MemberDescription, "id" | "tools" | "members">,
  outputModes: readonly string[],
  isExtended: boolean,
): readonly Skill[] {
  const toolSkills = tools.map(({ name, description }) => ({
    id: `${id}/${name}`,
    name,
    description,
    tags: ["tool"],
    examples: [],
    outputModes,
  }));
  const memberSkills = members.flatMap((member): readonly Skill[] => {
    const { name, description } = member;
    const tags = ["member", member.kind];
    const shown = { id: `${id}/${member.id}`, name, description, tags, examples: [], outputModes };
    const within = isExtended ? skillsOf(member, outputModes, true) : [];
    return [shown, ...within.map((skill) => ({ ...skill, id: `${id}/${skill.id}` }))];
  });
  return [...toolSkills, ...memberSkills];
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
