import { type AddressInfo, createServer } from "node:net";
import { addressError } from "../platform/options.ts";

/** Checks that the server can listen on an address, before anything is opened. Returns the port: for 0, one that is free now. @throws ConfigurationError */
export function checkAddress(host: string, port: number, option = "--port"): Promise<number> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once("error", (error) => reject(addressError(error, host, port, option)));
    probe.listen(port, host, () => {
      const { port: free } = probe.address() as AddressInfo;
      probe.close(() => resolve(free));
    });
  });
}
