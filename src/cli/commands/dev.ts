import { spawn } from "node:child_process";
import { outsideEnvironment } from "../environment.ts";
import { findAppFile } from "../load.ts";
import { graceOf, logLevelOf, portOf, type ServeOptions } from "../options.ts";

/** `troupe dev [file]`: `troupe start` under Node's watch mode, with a short grace time. A file that does not load waits for its next change. */
export async function dev(file: string | undefined, options: ServeOptions): Promise<void> {
  findAppFile(file);
  portOf(options);
  logLevelOf(options);
  const rest = process.argv.slice(process.argv.indexOf("dev") + 1);
  const grace = graceOf(options) === undefined ? ["--grace", "0"] : [];
  const launcher = process.argv[1] as string;
  const child = spawn(
    process.execPath,
    ["--watch", "--watch-preserve-output", ...process.execArgv, launcher, "start", ...rest, ...grace],
    { stdio: "inherit", env: outsideEnvironment() },
  );
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => child.kill(signal));
  process.exitCode = await new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 0)));
}
