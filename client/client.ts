/** The client of a server: its components and their runs. */
import type { ComponentKind, WireRunStatus } from "../src/model/run/run.ts";
import { RequestError, runThatContinues } from "./errors.ts";
import { type RunRecord, type StartOptions, toForm } from "./records.ts";
import { type Asked, type ClientOptions, Requests } from "./requests.ts";
import { type FollowOptions, newKey, Run } from "./run.ts";
import type { AnyTypes, ComponentTypes, IdOf, TypesOfId } from "./typed.ts";

/** The response to a start in the background. */
type Accepted = Required<Pick<RunRecord, "run_id" | "session_id">>;

/** Filters for a list of runs. */
export interface RunQuery {
  readonly sessionId?: string;
  readonly status?: WireRunStatus;
  /** Runs per page, 1 to 1,000. Default: 1,000 with `sessionId`, otherwise 100. */
  readonly limit?: number;
}

/** Options of a start without its own output schema, so that the content has the type of the definition. */
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
   * Starts a run and resolves when the server has accepted it. If the response is lost, the request is retried with the same idempotency
   * key and still starts only one run.
   *
   * @param input the message; any value other than a string is sent as JSON, for workflows with an `input` schema
   * @throws RequestError when the server rejects the start, or is unavailable for too long
   */
  start(input: Types["input"], options?: Unshaped<StartOptions<Types>>): Promise<Run<Kind, Types["content"]>>;
  start(input: Types["input"], options: StartOptions<Types>): Promise<Run<Kind>>;
  async start(input: Types["input"], options: StartOptions = {}): Promise<Run<Kind>> {
    const { sessionId, background, signal, onConnection, idempotencyKey = newKey() } = options;
    const asked: Asked = {
      method: "POST",
      path: `${this.#path}/runs`,
      headers: { "idempotency-key": idempotencyKey },
      body: toForm(typeof input === "string" ? input : JSON.stringify(input), options),
      signal,
    };
    const follow = { ...(signal && { signal }), ...(onConnection && { onConnection }) };
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

  /** Returns a run that was started earlier or by another client. No request is sent until the run is iterated. */
  follow(runId: string, options: FollowOptions = {}): Run<Kind, Types["content"]> {
    return this.#open(runId, options, undefined);
  }

  /**
   * Returns the newest runs of the component, newest first. It is one page, and may have fewer runs than `limit` when the runs are large.
   * @throws RequestError
   */
  async runs(query: RunQuery = {}): Promise<RunRecord[]> {
    for await (const page of this.runPages(query)) return page;
    return [];
  }

  /** Yields all runs of the component page by page, newest first. @throws RequestError */
  async *runPages({ sessionId, status, limit }: RunQuery = {}): AsyncGenerator<RunRecord[], void> {
    const asked = new URLSearchParams({ sort_order: "desc" });
    for (const [name, value] of Object.entries({ session_id: sessionId, status, limit }))
      if (value !== undefined) asked.set(name, String(value));
    for (let query: string | undefined = `?${asked}`; query !== undefined; ) {
      const { json, link } = await this.#requests.page({ method: "GET", path: `${this.#path}/runs${query}` });
      yield json as RunRecord[];
      // Only the query is taken from the header, because a proxy may serve the path under another prefix.
      query = /<[^>?]*(\?[^>]*)>; rel="next"/.exec(link)?.[1];
    }
  }

  #open(runId: string, options: FollowOptions, answer: Response | undefined): Run<Kind, Types["content"]> {
    return new Run({ requests: this.#requests, kind: this.#kind, path: this.#path, runId, options, answer });
  }
}

/** A client of a server, see `createClient`. */
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

  /**
   * Sends any other request with the same credentials and returns the JSON of the response; undefined for an empty body. Only a GET request
   * is retried. @throws RequestError
   */
  async request(method: Asked["method"], path: string, body?: Readonly<Record<string, unknown>>): Promise<unknown> {
    const json =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const asked: Asked = { method, path, ...json };
    return method === "GET" ? await this.#requests.json(asked) : await this.#requests.jsonOnce(asked);
  }
}

/**
 * Creates a client of a server. The client re-establishes lost connections, so that a loop over a run receives every event once. With the
 * type of a platform (`createClient<typeof platform>`), it knows the ids of its components and the types of their inputs and contents.
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
