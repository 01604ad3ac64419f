/** A platform with an agent that needs an account, behind the public address `https://agents.example`. */

import { z } from "zod";
import { defineAgent } from "../../../src/define/agent.ts";
import type { PlatformOptions } from "../../../src/define/platform.ts";
import { defineTool } from "../../../src/define/tool.ts";
import type { KeyProvider } from "../../../src/model/encryption.ts";
import { environmentKeys } from "../../../src/store/encryption/environment-keys.ts";
import { scriptedModel } from "../../../src/testing/index.ts";
import type { OpenServer } from "../../support/open-server.ts";
import type { Accounts } from "./accounts.ts";
import { Browser } from "./browser.ts";

export const publicUrl = "https://agents.example";
export const callback = `${publicUrl}/connections/hub/callback`;

export const keyProvider = environmentKeys(`test:${Buffer.alloc(32, 7).toString("base64")}`) as KeyProvider;

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped bodies
export type Any = any;

/** The connections of the platform. */
export function connectionsTo({ issuer }: Accounts): NonNullable<PlatformOptions["connections"]> {
  return {
    url: publicUrl,
    providers: {
      hub: { title: "Hub", issuer, clientId: "troupe", clientSecret: "a secret with /+%", scopes: ["openid"] },
    },
  };
}

/** An agent that looks up its user's account, in as many calls as its input says. @param tokens receives the tokens of the calls */
export function clerkFor(accounts: Accounts, tokens: string[] = []) {
  const look = defineTool({
    ...{ name: "look", description: "Looks up the account.", input: z.object({}), idempotent: true },
    oauth: { provider: "hub", scopes: ["repo"] },
    async execute(_, { accessToken = "" }) {
      tokens.push(accessToken);
      return `account of ${await accounts.accountOf(accessToken)}`;
    },
  });
  const model = scriptedModel(({ results, message }) => {
    if (results.length > 0) return `result: ${results.map(({ text }) => text).join(", ")}`;
    return { toolCalls: Array.from({ length: Number(message) || 1 }, () => ({ name: "look" })) };
  });
  return defineAgent({ id: "clerk", model, tools: [look] });
}

/** Options of the platform. */
export function officeFor(accounts: Accounts, tokens?: string[]): Omit<PlatformOptions, "id"> {
  return { agents: [clerkFor(accounts, tokens)], connections: connectionsTo(accounts), encryption: { keyProvider } };
}

export function browserOf(server: OpenServer): Browser {
  return new Browser({ [publicUrl]: server.client.address.origin });
}

/** Starts a run of a user. */
export async function run(server: OpenServer, user: string, message = "1"): Promise<Any> {
  const form = { message, stream: false, session_id: `session of ${user}`, user_id: user };
  const { status, body } = await server.client.post("/agents/clerk/runs", form);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

export async function record(server: OpenServer, { run_id, session_id }: Any): Promise<Any> {
  return (await server.client.get(`/agents/clerk/runs/${run_id}?session_id=${encodeURIComponent(session_id)}`)).body;
}

export function linkOf(paused: Any): string {
  return paused.requirements.at(-1).connection.url;
}

/** Continues a run by hand. */
export async function answer(server: OpenServer, paused: Any, confirmed: boolean): Promise<Any> {
  const tools = JSON.stringify(
    paused.tools.filter((tool: Any) => tool.requires_confirmation).map((tool: object) => ({ ...tool, confirmed })),
  );
  const form = { session_id: paused.session_id, stream: false, tools };
  return (await server.client.post(`/agents/clerk/runs/${paused.run_id}/continue`, form)).body;
}

/** Requests a link outside a run, and returns its URL. */
export async function requestLink(server: OpenServer, user: string, scopes: readonly string[]): Promise<string> {
  const body = JSON.stringify({ user_id: user, scopes });
  const headers = { "content-type": "application/json" };
  const response = await fetch(new URL("/connections/hub/links", server.client.address), {
    method: "POST",
    headers,
    body,
  });
  return ((await response.json()) as { url: string }).url;
}

/** Sends a DELETE request. */
export async function remove(
  server: OpenServer,
  path: string,
): Promise<{ readonly status: number; readonly body: Any }> {
  const response = await fetch(new URL(path, server.client.address), { method: "DELETE" });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}
