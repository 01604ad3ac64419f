/** The version of a component that a start names: which of them a caller may start. */
import { toVersion, versionOf } from "../../define/configuration/versions.ts";
import type { Entry } from "../../define/platform.ts";
import { isOwn } from "../../define/registry.ts";
import { isRemote } from "../../define/remote.ts";
import type { SelectedVersion } from "../../engine/versions/live-versions.ts";
import { TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import { kindTitles } from "../../model/run/run.ts";
import { type ComponentName, findComponent } from "../find.ts";
import { checkIds } from "../limits/sizes.ts";
import type { RunParts } from "../parts.ts";
import { missingVersion } from "./errors.ts";

/** The number of a version, or the definition in code. */
export type VersionName = number | "code";

type SelectionParts = Pick<RunParts, "registry" | "versions" | "gate">;

/**
 * Finds the version that a start names. Undefined for a component that has no versions: a number has no effect then.
 *
 * @throws TroupeError `notFound` (component, version), `validation` (the code of a component that has no definition there), `forbidden` (a draft, for a caller
 * who may not write components)
 * @param isDraftPermitted whether an earlier check has permitted the draft. Default: false
 */
export async function selectVersion(
  parts: SelectionParts,
  caller: Principal,
  name: ComponentName,
  version: VersionName,
  isDraftPermitted = false,
): Promise<SelectedVersion | undefined> {
  const { kind, componentId } = name;
  const { store } = parts.versions;
  checkIds({ [kind]: componentId });
  const inCode = parts.registry.findInCode(kind, componentId);
  if (version === "code") return checkCode(parts, name, inCode);
  const component = await store.find(componentId);
  if (component?.kind !== kind) {
    if (inCode) return undefined;
    throw new TroupeError("notFound", `${kindTitles[kind]} not found`);
  }
  const found = Number.isSafeInteger(version) ? await store.findVersion(componentId, version) : undefined;
  if (!found || found.deletedAt !== null) throw missingVersion(componentId, version);
  const isDraft = found.stage === "draft";
  if (isDraft && !isDraftPermitted) checkDraft(parts, caller, componentId, version);
  return { ...toVersion(component, found), isDraft };
}

/**
 * Checks the version that later starts will name, with the rules of a start. Undefined: the version that runs use then.
 * @returns the component as it is now
 * @throws TroupeError as `selectVersion`; also `notFound` (component), `validation` for a version that cannot be built
 */
export async function checkVersion(
  parts: SelectionParts & Pick<RunParts, "engine">,
  caller: Principal,
  name: ComponentName,
  version: VersionName | undefined,
): Promise<Entry> {
  const selected = version === undefined ? undefined : await selectVersion(parts, caller, name, version);
  return selected === undefined ? findComponent(parts, name) : await parts.engine.componentAt(name, selected);
}

/** As `checkVersion`, for records that show the version: a number must be the number of a version. */
export async function checkShownVersion(...check: Parameters<typeof checkVersion>): Promise<Entry> {
  const [, , { componentId }, version] = check;
  const entry = await checkVersion(...check);
  if (typeof version === "number" && versionOf(entry) !== version) throw missingVersion(componentId, version);
  return entry;
}

function checkCode({ registry }: SelectionParts, name: ComponentName, inCode: Entry | undefined): "code" {
  const { kind, componentId } = name;
  if (inCode && isOwn(inCode)) return "code";
  const title = `${kindTitles[kind]} "${componentId}"`;
  if (inCode) {
    const reason = isRemote(inCode) ? "another server executes it" : "a factory builds it";
    throw new TroupeError("validation", `${title} has no versions to select, because ${reason}: omit the version.`);
  }
  findComponent({ registry }, name);
  throw new TroupeError("notFound", `${title} is not defined in code`);
}

function checkDraft({ gate }: SelectionParts, caller: Principal, componentId: string, version: VersionName): void {
  try {
    gate.check(caller, gate.requiredScopesOf(draftRoute), componentId);
  } catch (error) {
    if (!(error instanceof TroupeError && error.code === "forbidden")) throw error;
    const text = `Config ${componentId} v${version} is a draft: only callers who may write components can start it.`;
    throw new TroupeError("forbidden", text, { cause: error });
  }
}

/** The route whose permission a caller needs to try a draft. */
const draftRoute = {
  ...{ method: "POST", path: "/components/{component_id}/configs", resource: "components", action: "write" },
} as const;
