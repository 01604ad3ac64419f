import { createServer } from "node:net";
import { addressError } from "../platform/options.ts";

/** Checks that the server can listen on an address, before anything is opened. Port 0 is always free. @throws ConfigurationError */
export function checkAddress(host: string, port: number, option = "--port"): Promise<void> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once("error", (error) => reject(addressError(error, host, port, option)));
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
