/** Sends one request and reads its whole response. */
import type { Connection } from "./connection.ts";
import { FrameScanner } from "./frame-scanner.ts";
import { now } from "./time.ts";

/** The result of reading a stream. */
export interface StreamResult {
  readonly events: number;
  /** Milliseconds from the request to the first bytes of the body. */
  readonly first: number;
  readonly runId: string | undefined;
}

/** A stream to request. */
export interface StreamRequest {
  readonly text: string;
  /** Called with the milliseconds from emit to receipt, for events that contain their emit time. */
  readonly emitted?: (milliseconds: number) => void;
  /** Called with the id of the run when the response begins. */
  readonly begun?: (runId: string | undefined) => void;
  /** Called with the number of events in each received piece of the stream. */
  readonly progress?: (events: number) => void;
  /** Whether the stream omits some events of the log. */
  readonly hasGaps?: boolean | undefined;
}

/** Reads a stream to its end. @throws Error for a status other than 200, a gap in the ids, a broken connection */
export function stream(connection: Connection, request: StreamRequest): Promise<StreamResult> {
  const scanner = new FrameScanner(request.emitted, request.hasGaps);
  const start = now();
  let first = 0;
  let runId: string | undefined;
  let refused: string | undefined;
  return new Promise((resolve, reject) => {
    connection.send(request.text, {
      head(status, head) {
        runId = /x-run-id: (\S+)/i.exec(head)?.[1];
        if (status !== 200) refused = head;
        else request.begun?.(runId);
      },
      body(text) {
        if (refused !== undefined) {
          reject(new Error(`${refused}\n${text}`));
          return true;
        }
        const before = scanner.events;
        scanner.scan(text);
        if (first === 0 && scanner.events > 0) first = now() - start;
        request.progress?.(scanner.events - before);
        if (!scanner.isOver) return false;
        if (scanner.fault) reject(new Error(scanner.fault));
        else resolve({ events: scanner.events, first, runId });
        return true;
      },
      broken: reject,
    });
  });
}

/** Sends a request and reads its JSON response. @throws Error for a status other than 200 */
export function exchange(
  connection: Connection,
  text: string,
): Promise<{ readonly milliseconds: number; readonly body: string }> {
  const start = now();
  let length = 0;
  let body = "";
  let faulty = "";
  return new Promise((resolve, reject) => {
    connection.send(text, {
      head(status, head) {
        length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
        if (status >= 300) faulty = head;
      },
      body(text) {
        body += text;
        if (body.length < length) return false;
        if (faulty || Number.isNaN(length)) reject(new Error(`${faulty}\n${body}`));
        else resolve({ milliseconds: now() - start, body });
        return true;
      },
      broken: reject,
    });
  });
}
