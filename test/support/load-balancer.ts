/** A small load balancer: it sends each request to the next ready server, and retries nothing. */
import { Agent, createServer, get, request } from "node:http";
import type { AddressInfo } from "node:net";

/** Milliseconds between two checks of a server. */
const interval = 100;

export interface LoadBalancer extends AsyncDisposable {
  readonly address: string;
  /** Adds a server. Resolves when its first check has succeeded. */
  add(address: string): Promise<void>;
  remove(address: string): void;
}

/** Starts a load balancer. @param checks whether it checks `/health/ready`; otherwise every added server counts as ready */
export async function startLoadBalancer(checks: boolean): Promise<LoadBalancer> {
  const ready = new Map<string, boolean>();
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const check = (address: string): Promise<boolean> =>
    new Promise((resolve) => {
      get(`${address}/health/ready`, { agent: false, timeout: 2_000 }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      })
        .on("error", () => resolve(false))
        .on("timeout", () => resolve(false));
    });
  const server = createServer((incoming, outgoing) => {
    const addresses = [...ready].flatMap(([address, isReady]) => (isReady ? [address] : []));
    const address = addresses[turn++ % addresses.length];
    const fail = (): void => void (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end());
    if (address === undefined) return fail();
    const { method, url, headers } = incoming;
    const forwarded = request(`${address}${url}`, { method, headers, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.on("error", fail).pipe(outgoing);
    });
    forwarded.on("error", fail);
    incoming.pipe(forwarded);
  });
  const timer = setInterval(async () => {
    if (!checks) return;
    for (const address of ready.keys()) {
      const isReady = await check(address);
      if (ready.has(address)) ready.set(address, isReady);
    }
  }, interval);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async add(address) {
      ready.set(address, !checks);
      while (!ready.get(address)) await new Promise((resolve) => setTimeout(resolve, interval));
    },
    remove: (address) => void ready.delete(address),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
}
