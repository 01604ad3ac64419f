/** The client of a server: its components, and their runs. */
import type { ComponentKind, WireRunStatus } from "../src/model/run.ts";
import { RequestError, runThatContinues } from "./errors.ts";
import { type RunRecord, type StartOptions, toForm } from "./records.ts";
import { type Asked, type ClientOptions, Requests } from "./requests.ts";
import { type FollowOptions, newKey, Run } from "./run.ts";
import type { AnyTypes, ComponentTypes, IdOf, TypesOfId } from "./typed.ts";

/** What is said of a start in the background. */
type Accepted = Required<Pick<RunRecord, "run_id" | "session_id">>;

/** Which runs are listed. */
export interface RunQuery {
  readonly sessionId?: string;
  readonly status?: WireRunStatus;
  /** Runs of a page, 1 to 1,000. Default: 1,000 with `sessionId`, else 100. */
  readonly limit?: number;
}

/** Options of a start whose answer has the shape that the definition names. */
type Unshaped<Options> = Options & { readonly outputSchema?: undefined };

/** An agent, a team or a workflow of the server. */
export class Component<Kind extends ComponentKind, Types extends ComponentTypes = AnyTypes> {
  readonly #requests: Requests;
  readonly #kind: Kind;
  readonly #path: string;

  constructor(requests: Requests, kind: Kind, id: string) {
    this.#requests = requests;
    this.#kind = kind;
    this.#path = `/${kind}s/${encodeURIComponent(id)}`;
  }

  /**
   * Starts a run; resolves when the server has accepted it. An answer that is lost is asked for again, and it is one run all the same.
   *
   * @param input the message; what is no text is sent as its JSON, for workflows that declare an input
   * @throws RequestError
   */
  start(input: Types["input"], options?: Unshaped<StartOptions<Types>>): Promise<Run<Kind, Types["content"]>>;
  start(input: Types["input"], options: StartOptions<Types>): Promise<Run<Kind>>;
  async start(input: Types["input"], options: StartOptions = {}): Promise<Run<Kind>> {
    const { sessionId, background, signal, idempotencyKey = newKey() } = options;
    const asked: Asked = {
      method: "POST",
      path: `${this.#path}/runs`,
      headers: { "idempotency-key": idempotencyKey },
      body: toForm(typeof input === "string" ? input : JSON.stringify(input), options),
      signal,
    };
    const follow = signal ? { signal } : {};
    if (background) {
      const { run_id, session_id } = (await this.#requests.json(asked)) as Accepted;
      return this.#open(run_id, { ...follow, sessionId: session_id }, undefined);
    }
    const answer = await this.#requests.send(asked).catch(runThatContinues);
    if (!(answer instanceof Response)) return this.#open(answer.runId, { ...follow, ...answer }, undefined);
    const runId = answer.headers.get("x-run-id");
    if (runId) return this.#open(runId, { ...follow, ...(sessionId === undefined ? {} : { sessionId }) }, answer);
    await answer.body?.cancel();
    throw new RequestError(
      "The answer has no header x-run-id: what is asked is no Troupe, or its origin is not allowed to see it.",
      {
        status: answer.status,
      },
    );
  }

  /** A run that was started elsewhere or before; nothing is asked until it is iterated. */
  follow(runId: string, options: FollowOptions = {}): Run<Kind, Types["content"]> {
    return this.#open(runId, options, undefined);
  }

  /** Its newest runs, the newest first: one page, which the server may end before `limit` when runs are large. */
  async runs(query: RunQuery = {}): Promise<RunRecord[]> {
    for await (const page of this.runPages(query)) return page;
    return [];
  }

  /** All its runs, page by page, the newest first. */
  async *runPages({ sessionId, status, limit }: RunQuery = {}): AsyncGenerator<RunRecord[], void> {
    const asked = new URLSearchParams({ sort_order: "desc" });
    for (const [name, value] of Object.entries({ session_id: sessionId, status, limit }))
      if (value !== undefined) asked.set(name, String(value));
    for (let query: string | undefined = `?${asked}`; query !== undefined; ) {
      const { json, link } = await this.#requests.page({ method: "GET", path: `${this.#path}/runs${query}` });
      yield json as RunRecord[];
      // Only the query is taken from the header: a proxy may serve the path under another prefix.
      query = /<[^>?]*(\?[^>]*)>; rel="next"/.exec(link)?.[1];
    }
  }

  #open(runId: string, options: FollowOptions, answer: Response | undefined): Run<Kind, Types["content"]> {
    return new Run({ requests: this.#requests, kind: this.#kind, path: this.#path, runId, options, answer });
  }
}

/** See `createClient`. */
export class Client<Platform = unknown> {
  readonly #requests: Requests;

  constructor(options: ClientOptions) {
    this.#requests = new Requests(options);
  }

  agent<const Id extends IdOf<Platform, "agent">>(id: Id): Component<"agent", TypesOfId<Platform, "agent", Id>> {
    return new Component(this.#requests, "agent", id);
  }

  team<const Id extends IdOf<Platform, "team">>(id: Id): Component<"team", TypesOfId<Platform, "team", Id>> {
    return new Component(this.#requests, "team", id);
  }

  workflow<const Id extends IdOf<Platform, "workflow">>(
    id: Id,
  ): Component<"workflow", TypesOfId<Platform, "workflow", Id>> {
    return new Component(this.#requests, "workflow", id);
  }

  /** Any other request, with the same token: the answer's JSON, undefined for none. It is asked again only when it is a GET. @throws RequestError */
  async request(method: Asked["method"], path: string, body?: Readonly<Record<string, unknown>>): Promise<unknown> {
    const json =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const asked: Asked = { method, path, ...json };
    return method === "GET" ? await this.#requests.json(asked) : await this.#requests.jsonOnce(asked);
  }
}

/**
 * A client of a server. It makes lost connections again, so that a loop over a run sees every event once. Given the type of a platform
 * (`createClient<typeof platform>`), it knows the ids of its components, and what each takes and answers.
 *
 * @example
 * ```ts
 * const client = createClient({ url: "http://127.0.0.1:7777", token: () => process.env.TOKEN });
 * const run = await client.agent("greeter").start("Hello");
 * const { status, content } = await run.result();
 * console.log(status, content);
 * ```
 */
export function createClient<Platform = unknown>(options: ClientOptions): Client<Platform> {
  return new Client(options);
}
