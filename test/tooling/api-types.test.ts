/** The types of the interface that the console is compiled with. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { apiTypes } from "../../console/scripts/api-types.ts";

test("console/src/api/schema.ts describes the present interface (npm run api -w console)", async () => {
  expect(readFileSync(new URL("../../console/src/api/schema.ts", import.meta.url), "utf8")).toBe(await apiTypes());
});
