/** Declarations that examples in comments omit: imports, and placeholders for the reader's own values. */

import * as client from "../../../client/index.ts";
import * as troupe from "../../../src/index.ts";
import * as testing from "../../../src/testing/index.ts";

const declared: Readonly<Record<string, string>> = {
  ...imported(Object.keys(troupe), "troupe"),
  ...imported(Object.keys(testing), "troupe/testing"),
  ...imported(Object.keys(client), "troupe/client"),
  z: 'import { z } from "zod";',
  openai: 'import { openai } from "@ai-sdk/openai";',
  platform: 'declare const platform: import("troupe").Platform;',
  researcher: 'declare const researcher: import("troupe").Agent;',
  writer: 'declare const writer: import("troupe").Agent;',
  desk: 'declare const desk: import("troupe").Team;',
  search: 'declare const search: import("troupe").Tool;',
  weather: 'declare const weather: import("troupe").Tool;',
};

/** Returns the example with a declaration of everything that it uses. */
export function withPrelude(code: string): string {
  const used = Object.entries(declared).filter(([name]) => {
    const declares = new RegExp(`\\b(?:const|let|function)\\s+${name}\\b|import .*\\b${name}\\b`);
    return new RegExp(`(?<![.\\w"])${name}\\b(?!:)`).test(code) && !declares.test(code);
  });
  return `${used.map(([, declaration]) => declaration).join("\n")}\n${code}\nexport {};\n`;
}

function imported(names: readonly string[], from: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `import { ${name} } from "${from}";`]));
}
