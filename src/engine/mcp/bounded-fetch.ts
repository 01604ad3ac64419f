/** `fetch` with a bound on the body of each response to a POST: the client of MCP reads a whole message into memory. */

/** @param maxBytes maximum size of a response */
export function boundedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    // Streams of notifications are open for as long as the connection: their size has no meaning.
    if (init?.method !== "POST" || !response.body) return response;
    let bytes = 0;
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) controller.error(new Error(`the response is larger than ${maxBytes} bytes`));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bound), { status, statusText, headers });
  };
}
