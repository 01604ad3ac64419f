/**
 * Writes console/src/api/schema.ts: the types of the HTTP interface, from the server's OpenAPI document. Run it after every change of a route.
 * Usage: npm run api -w console
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { apiTypes } from "./api-types.ts";

writeFileSync(fileURLToPath(new URL("../src/api/schema.ts", import.meta.url)), await apiTypes());
