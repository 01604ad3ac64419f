import type { JsonPatch } from "./protocol.ts";

/** Sets and removes members of `state`. Returns the change as a JSON patch (RFC 6902). */
export function patch(
  state: Record<string, unknown>,
  set: Readonly<Record<string, unknown>>,
  remove: readonly string[],
): JsonPatch {
  const delta: JsonPatch = [];
  for (const [name, value] of Object.entries(set)) {
    delta.push({ op: Object.hasOwn(state, name) ? "replace" : "add", path: pointerTo(name), value });
    state[name] = value;
  }
  for (const name of remove) {
    if (Object.hasOwn(state, name)) delta.push({ op: "remove", path: pointerTo(name) });
    delete state[name];
  }
  return delta;
}

/** A JSON Pointer to a member (RFC 6901). */
function pointerTo(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
