import { createServer } from "node:net";
import { ConfigurationError } from "../errors.ts";

/** Fails when nobody can listen there, before anything is opened. Port 0 is always free. @throws ConfigurationError */
export function checkAddress(host: string, port: number): Promise<void> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once("error", (error) => reject(addressError(error, host, port)));
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

/** Why a server cannot listen, and what helps; any other error as it is. */
export function addressError(error: unknown, host: string, port: number): unknown {
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? ""];
  return reason === undefined ? error : new ConfigurationError(`${host}:${port} ${reason}.`, { cause: error });
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use: end what listens there, or choose another port with --port",
  EACCES: "may not be listened on by this user: choose a --port above 1023",
  EADDRNOTAVAIL: "is not an address of this machine: choose another --host",
  ENOTFOUND: "cannot be found: --host takes an address or a name of this machine",
  EAI_AGAIN: "cannot be found: --host takes an address or a name of this machine",
};
