/** Faults of the network between a client and a real server, chosen request by request. */

/** The change to a response of the server; undefined leaves the response unchanged. */
export type Fault =
  /** The server has received the request, and its response is lost. */
  | "lose answer"
  /** The body breaks after that many chunks, or is silent from there on. */
  | { readonly breakAfter: number }
  | { readonly silentAfter: number };

/** A `fetch` with faults, which keeps its requests and the statuses of their responses. */
export function faultyFetch(choose: (request: number, url: URL) => Fault | undefined): {
  fetch: typeof fetch;
  readonly asked: { readonly url: URL; readonly headers: Headers; readonly body: string; status: number }[];
} {
  const asked: { url: URL; headers: Headers; body: string; status: number }[] = [];
  return {
    asked,
    async fetch(input, init = {}) {
      const url = new URL(String(input));
      const entry = { url, headers: new Headers(init.headers), body: String(init.body ?? ""), status: 0 };
      asked.push(entry);
      const fault = choose(asked.length - 1, url);
      const response = await fetch(url, init);
      entry.status = response.status;
      if (fault === undefined) return response;
      if (fault === "lose answer") {
        await response.body?.cancel();
        throw new TypeError("fetch failed");
      }
      return new Response(hurt(response.body!, fault), response);
    },
  };
}

function hurt(body: ReadableStream<Uint8Array>, fault: Exclude<Fault, string>): ReadableStream<Uint8Array> {
  const left = "breakAfter" in fault ? fault.breakAfter : fault.silentAfter;
  const reader = body.getReader();
  let chunks = 0;
  return new ReadableStream({
    async pull(controller) {
      if (chunks++ === left && "silentAfter" in fault) return await new Promise(() => {});
      const { done, value } = await reader.read();
      if (chunks > left) {
        await reader.cancel();
        controller.error(new TypeError("terminated"));
      } else if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
