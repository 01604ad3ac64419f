/** Stored answers of models, for requests that are equal. */

/** An answer of a model. */
export interface StoredResponse {
  /** Identifies the request and its owner. */
  readonly digest: string;
  /** The user whose run made the request. */
  readonly userId: string | null;
  readonly body: string;
}

export interface ResponseStore {
  /** The answer; undefined if there is none, or if it has expired. */
  find(digest: string): Promise<string | undefined>;
  /** Stores an answer for some milliseconds, in place of an earlier one. The retention removes it when it has expired. */
  put(response: StoredResponse, duration: number): Promise<void>;
}
