import { expect, test } from "vitest";
import { SessionState } from "../../src/engine/run/session-state.ts";

test("takePatch sets a key to null and lists deleted keys under remove", () => {
  const state = new SessionState('{"kept":1,"gone":2,"emptied":3,"was null":null}');
  delete state.value.gone;
  delete state.value["was null"];
  state.value.emptied = null;
  state.value.new = null;
  expect(state.takePatch()).toEqual({ set: { emptied: null, new: null }, remove: ["gone", "was null"] });
  expect(state.takePatch()).toBeNull();
});

test("takePatch handles a key named __proto__", () => {
  const state = new SessionState('{"__proto__":{"a":1},"b":1}');
  expect(state.takePatch()).toBeNull();
  Object.defineProperty(state.value, "__proto__", { value: { a: 2 }, enumerable: true });
  expect(JSON.stringify(state.takePatch())).toBe('{"set":{"__proto__":{"a":2}},"remove":[]}');
});
