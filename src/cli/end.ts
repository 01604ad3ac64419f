/** When a command that serves ends. */

/** Milliseconds after which a shutdown that still waits prints a message. */
const messageDelay = 500;

/** Milliseconds within which a second signal counts as the same one: the terminal sends it to all processes, and `node --watch` forwards it. */
const repeatWindow = 500;

/** Interval in milliseconds at which the parent process is checked under npm. */
const parentInterval = 500;

/** How a command ends what it serves. */
export interface Ending {
  /** Closes it. @returns false if it could not be closed cleanly */
  readonly close: () => Promise<boolean>;
  /** Called before the process exits at once. */
  readonly abort?: () => void;
}

/** Closes on SIGTERM or SIGINT, and exits at once on a second signal. */
export function endOnSignals({ close, abort }: Ending): void {
  let began: number | undefined;
  const end = (signal: NodeJS.Signals): void => {
    if (began !== undefined) {
      if (performance.now() - began < repeatWindow) return;
      abort?.();
      process.exit(1);
    }
    began = performance.now();
    const timer = setTimeout(() => {
      console.log(
        `${signal}: waiting for live runs to end. Send the signal again to stop at once; unfinished runs continue in another process, or at the next start.`,
      );
    }, messageDelay);
    void close().then((isClean) => {
      clearTimeout(timer);
      process.exit(isClean ? 0 : 1);
    });
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
}

/**
 * npm sends a signal to the shell between npm and this process, and the shell exits without forwarding it. So this process ends when its
 * parent has exited.
 */
export function endWithParent(): void {
  if (process.env.npm_command === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, parentInterval);
  timer.unref();
}
