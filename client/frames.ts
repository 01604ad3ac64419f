/** Reads a stream of the server (docs/protocol.md, "Frames"). */
import { createParser, type EventSourceMessage } from "eventsource-parser";

/**
 * Yields the frames of a response in order, until its body ends. Leaving the loop closes the connection.
 *
 * @param silence milliseconds without a byte after which the connection counts as broken
 * @throws the error that broke the connection
 */
export async function* framesOf(response: Response, silence: number): AsyncGenerator<EventSourceMessage, void> {
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const frames: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (frame) => frames.push(frame) });
  try {
    for (;;) {
      const { done, value } = await within(silence, reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* frames.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function within<T>(milliseconds: number, wanted: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Nothing came for ${milliseconds / 1000} s.`)), milliseconds);
  });
  try {
    return await Promise.race([wanted, late]);
  } finally {
    clearTimeout(timer);
  }
}
