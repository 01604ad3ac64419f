import { readFileSync } from "node:fs";

interface Package {
  readonly version: string;
}

const own: Package = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));

/** Troupe's own version: `x-troupe-version` and `GET /info`. */
export const troupeVersion: string = own.version;

/** Version of the interface that the OpenAPI document reports (`info.version`, `agno_version`). */
export const interfaceVersion = "2.7.4";
