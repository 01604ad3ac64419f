/** Runs long reads in a thread with its own connection, so that they do not delay the process. */
import { Worker } from "node:worker_threads";
import { TroupeError } from "../../errors.ts";

/** A read that the thread runs. */
export interface BackgroundRead {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Its result. */
export interface BackgroundResult {
  readonly id: number;
  readonly rows?: readonly unknown[];
  readonly error?: string;
}

/** Limits in MiB for the heap of the thread: a result has at most some thousand short rows. */
const threadLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

/** The thread. It starts with the first read, and reads run one after another. */
export class BackgroundReads {
  readonly #file: string;
  readonly #waiting = new Map<
    number,
    { readonly resolve: (rows: never) => void; readonly reject: (error: Error) => void }
  >();
  #worker: Worker | undefined;
  #last = 0;

  constructor(file: string) {
    this.#file = file;
  }

  read<O>(sql: string, parameters: readonly unknown[]): Promise<readonly O[]> {
    this.#last += 1;
    const message: BackgroundRead = { id: this.#last, sql, parameters };
    return new Promise((resolve, reject) => {
      this.#waiting.set(message.id, { resolve, reject });
      this.#worker ??= this.#start();
      this.#worker.postMessage(message);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#fail(new TroupeError("unavailable", "The store is closed"));
  }

  #start(): Worker {
    // Runs from source in a checkout, from the build in the package.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const worker = new Worker(new URL(`./background-reads-worker.${extension}`, import.meta.url), {
      workerData: this.#file,
      resourceLimits: threadLimits,
    });
    worker.unref();
    worker.on("message", ({ id, rows, error }: BackgroundResult) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(rows as never);
      else waiting?.reject(new Error(error));
    });
    worker.on("error", (error) => {
      this.#worker = undefined;
      this.#fail(error);
    });
    return worker;
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
