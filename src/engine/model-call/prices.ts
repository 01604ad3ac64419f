/** Costs of model requests, from the platform's own prices and the table of public list prices. */
import type * as Table from "@pydantic/genai-prices";
import type { Runtime } from "../../model/runtime.ts";
import { toDollars, toNanos } from "../../model/usage/cost.ts";
import type { ModelPrice, Prices, RequestTokens } from "../../model/usage/prices.ts";
import type { CallableModel } from "./model-adapter.ts";

/** Returns the cost of one request to a model, in US dollars; undefined if it is unknown. */
export type Price = (tokens: RequestTokens) => number | undefined;

type PricedModel = Pick<CallableModel, "id" | "providerId">;

/** The table's names of the AI SDK's providers. Models of other providers, such as a server of your own, are not in the table. */
const tableProviders: Readonly<Record<string, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  google: "google",
  vertex: "google",
  azure: "azure",
  "azure-openai": "azure",
  "amazon-bedrock": "aws",
  bedrock: "aws",
  mistral: "mistral",
  groq: "groq",
  xai: "x-ai",
  deepseek: "deepseek",
  cohere: "cohere",
  fireworks: "fireworks",
  togetherai: "together",
  openrouter: "openrouter",
  perplexity: "perplexity",
  cerebras: "cerebras",
  moonshotai: "moonshotai",
};

/** The provider of scripted models, which have no price to define. */
const scriptedProvider = "scripted";

/** The prices of one process. */
export class PriceBook {
  readonly #prices: Prices | undefined;
  readonly #log: Runtime["log"];
  readonly #load: () => Promise<typeof Table>;
  readonly #found = new Map<string, Price | undefined | Promise<Price | undefined>>();
  readonly #windows = new Map<string, number | undefined | Promise<number | undefined>>();
  #table: Promise<typeof Table | undefined> | undefined;

  /** @param load loads the table: it takes about 3 MB of heap, so processes that need no list price never load it */
  constructor(
    prices: Prices | undefined,
    { log }: Pick<Runtime, "log">,
    load: () => Promise<typeof Table> = () => import("@pydantic/genai-prices"),
  ) {
    this.#prices = prices;
    this.#log = log;
    this.#load = load;
  }

  /** Returns the price of a model; a promise while the table is being loaded. Logs each model without a price once. */
  find(model: PricedModel): Price | undefined | Promise<Price | undefined> {
    if (this.#prices === false) return undefined;
    const name = `${model.providerId}:${model.id}`;
    if (this.#found.has(name)) return this.#found.get(name);
    const found = this.#lookUp(model);
    this.#found.set(name, found);
    if (found instanceof Promise) void found.then((price) => this.#found.set(name, price));
    return found;
  }

  /** Returns the tokens of a model's context window, by the table; undefined if the table does not contain it. A promise while the table is being loaded. */
  contextWindow({ id, providerId }: PricedModel): number | undefined | Promise<number | undefined> {
    const known = tableProvider(providerId);
    if (known === undefined) return undefined;
    const name = `${known}:${id}`;
    if (this.#windows.has(name)) return this.#windows.get(name);
    const found = this.#tableOnce().then((table) => windowIn(table, id, known));
    this.#windows.set(name, found);
    void found.then((window) => this.#windows.set(name, window));
    return found;
  }

  #lookUp(model: PricedModel): Price | undefined | Promise<Price | undefined> {
    const { id, providerId } = model;
    const [provider = ""] = providerId.split(".");
    if (typeof this.#prices === "object") {
      const own = this.#prices[`${provider}:${id}`] ?? this.#prices[id];
      if (own) return priceOf(own);
    }
    const known = tableProvider(providerId);
    const listed = known === undefined ? undefined : this.#listed(id, known);
    const given = this.#prices;
    if (typeof given === "function") {
      const own = this.#guarded(id, (tokens) => usable(given({ model: id, provider: providerId, tokens })));
      if (listed === undefined) return own;
      return listed.then((price) => (tokens) => own(tokens) ?? price?.(tokens));
    }
    if (listed === undefined) {
      this.#warn(model);
      return undefined;
    }
    return listed.then((price) => {
      if (!price) this.#warn(model);
      return price;
    });
  }

  async #listed(model: string, providerId: string): Promise<Price | undefined> {
    const table = await this.#tableOnce();
    const cost = this.#guarded(model, (tokens) =>
      usable(table?.calcPrice(toTableUsage(tokens), model, { providerId })?.total_price),
    );
    return cost({ input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }) === undefined ? undefined : cost;
  }

  #tableOnce(): Promise<typeof Table | undefined> {
    this.#table ??= this.#load().catch((error: unknown) => {
      this.#log.warn(
        { error },
        "The table of model prices could not be loaded: costs and context windows are unknown.",
      );
      return undefined;
    });
    return this.#table;
  }

  /** An error while a cost is computed must not fail the run whose answer has arrived. */
  #guarded(model: string, price: Price): Price {
    return (tokens) => {
      try {
        return price(tokens);
      } catch (error) {
        this.#log.warn({ error, model }, "The cost of a model request could not be computed.");
        return undefined;
      }
    };
  }

  #warn({ id, providerId }: PricedModel): void {
    if (providerId === scriptedProvider) return;
    this.#log.warn(
      { model: id, provider: providerId },
      "The price of a model is unknown: its tokens are counted without a cost. Define it in definePlatform({ prices }).",
    );
  }
}

/** Returns the table's name of a provider; undefined for a provider that it does not contain. */
function tableProvider(providerId: string): string | undefined {
  return tableProviders[(providerId.split(".")[0] ?? "").toLowerCase()];
}

function windowIn(table: typeof Table | undefined, model: string, providerId: string): number | undefined {
  try {
    const window = table?.calcPrice({ input_tokens: 1, output_tokens: 1 }, model, { providerId })?.model.context_window;
    return window !== undefined && window > 0 ? window : undefined;
  } catch {
    return undefined;
  }
}

/** The table's counters. The table requires that the input includes the cached tokens, which some providers do not add to it. */
function toTableUsage({ input, output, cacheRead, cacheWrite }: RequestTokens): Table.Usage {
  return {
    input_tokens: Math.max(input, cacheRead + cacheWrite),
    output_tokens: output,
    ...(cacheRead > 0 && { cache_read_tokens: cacheRead }),
    ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }),
  };
}

/** Computes in nanodollars: one token at one US dollar per million tokens costs 1,000 of them. */
function priceOf({ input, output, cacheRead = input, cacheWrite = input }: ModelPrice): Price {
  return (tokens) => {
    const plain = Math.max(0, tokens.input - tokens.cacheRead - tokens.cacheWrite);
    const perMillion =
      plain * input + tokens.cacheRead * cacheRead + tokens.cacheWrite * cacheWrite + tokens.output * output;
    return toDollars(Math.round(perMillion * 1_000));
  };
}

/** Rounds a cost to nanodollars; undefined for a value that is no amount. */
function usable(dollars: number | undefined): number | undefined {
  return dollars !== undefined && Number.isFinite(dollars) && dollars >= 0 ? toDollars(toNanos(dollars)) : undefined;
}
