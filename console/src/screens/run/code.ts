/** Programs that start or resume a run, to be copied. A token is never part of them. */
import type { RunName } from "./run-name.ts";

export interface CodeFacts extends Omit<RunName, "session"> {
  readonly url: string;
  readonly session: string | undefined;
  readonly message: string;
  /** Whether the server needs a credential: the code then reads it from the variable TOKEN. */
  readonly needsToken: boolean;
}

export interface Snippets {
  readonly start: string;
  readonly resume: string;
}

export function toCurl({ url, kind, component, run, session, message, needsToken }: CodeFacts): Snippets {
  const runs = `${url}/${kind}s/${encodeURIComponent(component)}/runs`;
  const token = needsToken ? [`-H "Authorization: Bearer $TOKEN"`] : [];
  const inSession = session === undefined ? [] : [`--data-urlencode ${quoted(`session_id=${session}`)}`];
  const command = (parts: readonly string[]): string => parts.join(" \\\n  ");
  return {
    start: command([
      `curl -N ${quoted(runs)}`,
      ...token,
      `--data-urlencode ${quoted(`message=${message}`)}`,
      ...inSession,
    ]),
    resume: command([
      `curl -N ${quoted(`${runs}/${encodeURIComponent(run)}/resume`)}`,
      ...token,
      "-d last_event_index=-1",
      ...inSession,
    ]),
  };
}

export function toTypeScript({ url, kind, component, run, session, message, needsToken }: CodeFacts): Snippets {
  const options = needsToken ? `{ url: ${js(url)}, token: process.env.TOKEN }` : `{ url: ${js(url)} }`;
  const head = `import { createClient } from "troupe/client";\n\nconst client = createClient(${options});\n`;
  const loop = "for await (const event of run) console.log(event.event_index, event.event);\n";
  const of = `client.${kind}(${js(component)})`;
  const sessionId = session === undefined ? "" : `sessionId: ${js(session)}`;
  const start = sessionId === "" ? "" : `, { ${sessionId} }`;
  return {
    start: `${head}const run = await ${of}.start(${js(message)}${start});\n${loop}`,
    resume: `${head}const run = ${of}.follow(${js(run)}, { cursor: -1${sessionId === "" ? "" : `, ${sessionId}`} });\n${loop}`,
  };
}

/** A text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function js(text: string): string {
  return JSON.stringify(text);
}
