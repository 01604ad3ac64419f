/** Random bytes of keys, salts and nonces. */
// biome-ignore lint/style/noRestrictedImports: A seeded source, which simulations inject, would make nonces repeat.
import { randomBytes } from "node:crypto";

export { randomBytes };
