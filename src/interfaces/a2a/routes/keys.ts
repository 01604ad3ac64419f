/** The key set by which clients verify signatures of this server. */
import { createPrivateKey, createPublicKey, type JsonWebKeyInput } from "node:crypto";
import { ConfigurationError } from "../../../errors.ts";
import { type Route, route } from "../../../http/transport/route.ts";
import type { A2aOptions } from "../../../model/a2a.ts";
import type { JsonWebKey } from "../../../model/authorization.ts";
import { mismatchOf } from "../../../model/key-fit.ts";
import type { Log } from "../../../model/runtime.ts";
import { keySet } from "../push/sign.ts";

/**
 * The public part of the key that signs cards and push notifications; empty if the platform does not sign.
 *
 * @throws ConfigurationError for a key that does not fit its algorithm: otherwise every signature would fail
 */
export function keyRoutes({ signingKey, url }: A2aOptions, log?: Pick<Log, "warn">): readonly Route[] {
  if (!signingKey) return [];
  if (url === undefined) log?.warn({}, "Agent cards are not signed: say in a2a.url which address they vouch for.");
  const { alg = "" } = signingKey as { alg?: string };
  const misfit = misfitOfPrivate(signingKey, alg);
  if (misfit !== undefined) {
    throw new ConfigurationError(`a2a: signingKey cannot sign by its alg ${JSON.stringify(alg)}: it ${misfit}.`);
  }
  const keys = keySet(signingKey);
  return [route({ method: "GET", path: "/.well-known/jwks.json", access: "open", handle: () => keys })];
}

/** Returns why a private key does not fit an algorithm; undefined if its public part can verify signatures of that algorithm. */
function misfitOfPrivate(jwk: JsonWebKey, alg: string): string | undefined {
  try {
    const key = createPrivateKey({ key: jwk as JsonWebKeyInput["key"], format: "jwk" });
    return mismatchOf(createPublicKey(key), alg);
  } catch {
    return "is no private key that can be read";
  }
}
