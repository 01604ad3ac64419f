/** Opens the connections of a platform. */
import { mcpServersOf, ownTools } from "../define/mcp-server.ts";
import type { Platform } from "../define/platform.ts";
import { allComponents } from "../define/within.ts";
import { ConfigurationError } from "../errors.ts";
import type { KeyProvider } from "../model/encryption.ts";

/** The state of the process that decides whether accounts can be connected. */
interface ConnectionState {
  readonly keyProvider: KeyProvider | undefined;
  readonly isInProcess?: boolean | undefined;
}

/** Rejects connections without encryption, and tools whose provider is not defined. @throws ConfigurationError */
export function checkConnections(platform: Platform, { keyProvider, isInProcess }: ConnectionState): void {
  const { connections } = platform;
  if (connections && typeof keyProvider?.keyId !== "string") {
    throw new ConfigurationError(
      `Platform "${platform.id}": connections stores tokens of users, always encrypted, and no key is configured: set TROUPE_ENCRYPTION_KEYS (docs/security.md#encryption-at-rest), or take connections out.`,
    );
  }
  // A component that runs without a server has no connections: its tools fail with that reason.
  if (isInProcess) return;
  const providers = Object.keys(connections?.providers ?? {});
  for (const component of allComponents(platform)) {
    for (const { name, oauth } of [...ownTools(component), ...mcpServersOf(component)]) {
      if (oauth === undefined || providers.includes(oauth.provider)) continue;
      const known = providers.length > 0 ? `there are ${providers.join(", ")}` : "it defines none";
      throw new ConfigurationError(
        `"${name}" of "${component.id}" needs an account of "${oauth.provider}", which is no provider in connections of the platform (${known}).`,
      );
    }
  }
}
