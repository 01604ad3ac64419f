/** Opens authorization without a server, and returns the caller or the error of a token. */
import { AccessControl } from "../../src/auth/access-control.ts";
import { resolveAccess } from "../../src/auth/access-rules.ts";
import type { ReadText } from "../../src/auth/remote-key-set.ts";
import { TroupeError } from "../../src/errors.ts";
import type { AuthorizationOptions, Environment } from "../../src/model/authorization.ts";
import type { Principal } from "../../src/model/principal.ts";
import type { Log, Runtime } from "../../src/model/runtime.ts";
import { silentLog, testRuntime } from "../support/runtime.ts";

const none = (): never => {
  throw new Error("These tests have no service accounts");
};

interface Surroundings {
  environment?: Environment;
  read?: ReadText;
  log?: Log;
  runtime?: Runtime;
}

/** Opens the authorization of a platform named `test-os`. */
export function accessOf(
  authorization: boolean | AuthorizationOptions | undefined,
  more: Surroundings = {},
): AccessControl {
  const { environment = {}, read, log = silentLog, runtime = { ...testRuntime, log } } = more;
  const rules = resolveAccess({ platformId: "test-os", authorization, environment, runtime, read });
  return new AccessControl(
    rules,
    { create: none, findByTokenHash: none, findActive: none, list: none, revoke: none, touch: none },
    runtime,
  );
}

/** Returns the principal of a token. */
export async function callerOf(access: AccessControl, token: string): Promise<Principal> {
  return access.principalOf(token, "192.0.2.1");
}

/** Returns the status and message that reject a token, or `ok`. */
export async function refusalOf(access: AccessControl, token: string): Promise<string> {
  try {
    await callerOf(access, token);
    return "ok";
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    return `${error.status} ${error.message}`;
  }
}
