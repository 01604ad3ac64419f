/** Prices of models, as a platform defines them. */

/** Price of a model in US dollars per million tokens. */
export interface ModelPrice {
  /** Tokens of the input, except cached tokens that have their own price. */
  readonly input: number;
  /** Tokens of the output, including reasoning. */
  readonly output: number;
  /** Input tokens that the provider read from its cache. Default: the price of `input`. */
  readonly cacheRead?: number;
  /** Input tokens that the provider wrote to its cache. Default: the price of `input`. */
  readonly cacheWrite?: number;
}

/** Token counts of one model request. `input` and `output` are totals, which include the others. */
export interface RequestTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** A model request to be priced. */
export interface PricedRequest {
  /** The provider's name for the model: `gpt-5.2`. */
  readonly model: string;
  /** The AI SDK's name for the provider: `openai.responses`. */
  readonly provider: string;
  readonly tokens: RequestTokens;
}

/** Returns the cost of a model request in US dollars; undefined leaves the request to the built-in table. */
export type PriceFunction = (request: PricedRequest) => number | undefined;

/** Prices by model: `gpt-5.2` for every provider, or `openai:gpt-5.2` for one. */
export type PriceList = Readonly<Record<string, ModelPrice>>;

/**
 * The prices of a platform. They take precedence over the built-in table of public list prices, which applies to all other models. `false` turns costs
 * off.
 */
export type Prices = PriceList | PriceFunction | false;
