/** What the server and `troupe doctor` advise about the extension pgvector. */
import { expect, test } from "vitest";
import { vectorAdvice } from "../../src/store/postgres/vector-extension.ts";

test.each([
  [undefined, /install it \(version 0\.8 or newer\)/],
  [{ installed: null, version: "0.7.4" }, /older than 0\.8/],
  [{ installed: "0.5.1", version: "0.8.1" }, /alter extension vector update/],
  [{ installed: null, version: "0.8.0" }, undefined],
  [{ installed: "0.10.0", version: "0.10.0" }, undefined],
  [{ installed: "1.0.0", version: "1.0.0" }, undefined],
])("the advice for the extension %j is %s", (found, expected) => {
  if (expected) expect(vectorAdvice(found)).toMatch(expected);
  else expect(vectorAdvice(found)).toBeUndefined();
});
