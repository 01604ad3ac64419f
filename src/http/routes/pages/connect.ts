/** The pages that connect an account in a browser: what is connected to whom, and the result. They need no token: a link is a secret. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { TroupeError } from "../../../errors.ts";
import type { ConnectionCalls, ConnectionLink, LinkedAccount } from "../../../runs/connections.ts";
import { reader } from "../../input/decode.ts";
import { type Call, type Route, route } from "../../transport/route.ts";

const path = reader(z.object({ provider: z.string() }), ({ provider }) => provider);

const linkFields = z.object({
  run_id: z.string().max(255).optional(),
  requirement_id: z.string().max(255).optional(),
  link: z.string().max(255).optional(),
});

type LinkFields = z.output<typeof linkFields>;

const query = reader(linkFields, (fields) => fields);

const body = {
  name: "ConnectAccount",
  reader: reader(linkFields.extend({ browser: z.string().max(255).optional() }), (fields) => fields),
  types: ["urlencoded"],
  required: true,
} as const;

/** The form of the secret that the cookie holds. */
const cookieValue = /^[0-9a-f]{64}$/;

/** Routes of the pages. @param url the public URL of this server */
export function connectPages(url: string): readonly Route[] {
  const isSecure = url.startsWith("https:");
  // The prefix keeps other hosts of the domain from setting the cookie.
  const cookie = isSecure ? "__Host-troupe-connect" : "troupe-connect";
  const secretIn = ({ headers }: FastifyRequest): string | undefined => {
    const values = (headers.cookie ?? "").split(/;\s*/).map((pair) => pair.split(/=(.*)/s));
    const value = values.find(([name]) => name === cookie)?.[1];
    return value !== undefined && cookieValue.test(value) ? value : undefined;
  };
  return [
    route({
      method: "GET",
      path: "/connections/{provider}/authorize",
      access: "open",
      pathParams: path,
      query,
      handle: (call) =>
        page(call, async (calls, reply) => {
          const account = await calls.describe(call.path, toLink(call.query));
          const { randomness } = call.services.runtime;
          const browser = secretIn(call.request) ?? `${randomness.uuid()}${randomness.uuid()}`.replaceAll("-", "");
          const attributes = `Path=/; Max-Age=1200; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
          reply.header("set-cookie", `${cookie}=${browser}; ${attributes}`);
          return { status: 200, title: `Connect ${account.title}`, content: question(account, call.query, browser) };
        }),
    }),
    route({
      method: "POST",
      path: "/connections/{provider}/authorize",
      access: "open",
      pathParams: path,
      body,
      handle: (call) =>
        page(call, async (calls, reply) => {
          const browser = secretIn(call.request);
          // Only the page of this server in this browser has the secret: no other site can begin a flow here.
          if (browser === undefined || !isSame(browser, call.body.browser ?? ""))
            throw new TroupeError(
              "forbidden",
              "The form is not from this browser. Open the link again, with cookies enabled.",
            );
          const target = await calls.begin(call.path, toLink(call.body), browser);
          reply.header("location", target.href);
          return { status: 303, title: "Connect", content: "" };
        }),
    }),
    route({
      method: "GET",
      path: "/connections/{provider}/callback",
      access: "open",
      pathParams: path,
      handle: (call) =>
        page(call, async (calls) => {
          const parameters = new URL(call.request.originalUrl, "http://host").searchParams;
          const { title, userId } = await calls.finish(call.path, parameters, secretIn(call.request));
          const content = `<p>Your ${escaped(title)} account is connected${userId === "" ? "" : ` for <b>${escaped(userId)}</b>`}. You can close this page.</p>`;
          return { status: 200, title: "Connected", content };
        }),
    }),
  ];
}

function toLink({ run_id: runId, requirement_id: requirementId, link }: LinkFields): ConnectionLink {
  if (link !== undefined) return { secret: link };
  if (runId !== undefined && requirementId !== undefined) return { runId, requirementId };
  throw new TroupeError("notFound", "This link is not complete.");
}

interface Shown {
  readonly status: number;
  readonly title: string;
  /** HTML. */
  readonly content: string;
}

/** Sends a page; an error is a page, too. */
async function page(
  { services, reply }: Pick<Call<unknown, unknown, unknown>, "services" | "reply">,
  work: (calls: ConnectionCalls, reply: FastifyReply) => Promise<Shown>,
): Promise<FastifyReply> {
  let shown: Shown;
  try {
    if (!services.runs.connections) throw new TroupeError("notFound", "Not Found");
    shown = await work(services.runs.connections, reply);
  } catch (error) {
    if (!(error instanceof TroupeError) || error.status >= 500) throw error;
    shown = { status: error.status, title: "Not connected", content: `<p>${escaped(error.message)}</p>` };
  }
  const style =
    "body{font:1rem/1.5 system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem}";
  const digest = createHash("sha256").update(style).digest("base64");
  return reply
    .code(shown.status)
    .type("text/html; charset=utf-8")
    .header("cache-control", "no-store")
    .header("referrer-policy", "no-referrer")
    .header("x-content-type-options", "nosniff")
    .header("x-frame-options", "DENY")
    .header(
      "content-security-policy",
      `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; frame-ancestors 'none'`,
    )
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(shown.title)}</title><style>${style}</style><main><h1>${escaped(shown.title)}</h1>${shown.content}</main></html>`,
    );
}

/** The page names the user, because a person who follows another user's link would give that user access to their own account. */
function question({ title, userId, scopes }: LinkedAccount, fields: LinkFields, browser: string): string {
  const hidden = Object.entries({ ...fields, browser }).flatMap(([name, value]) =>
    value === undefined ? [] : [`<input type="hidden" name="${name}" value="${escaped(value)}">`],
  );
  const whose = userId === "" ? "the agents of this server" : `the agents of <b>${escaped(userId)}</b>`;
  const rights =
    scopes.length > 0
      ? `<p>Requested rights: ${scopes.map((scope) => `<code>${escaped(scope)}</code>`).join(", ")}</p>`
      : "";
  const warning =
    userId === "" ? "" : `<p>Continue only if you are <b>${escaped(userId)}</b>, and only if you asked for this.</p>`;
  return `<p>You give ${whose} access to your ${escaped(title)} account.</p>${rights}${warning}<form method="post">${hidden.join("")}<button>Continue to ${escaped(title)}</button></form>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
