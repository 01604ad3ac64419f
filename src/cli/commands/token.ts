import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SignJWT } from "jose";
import { ConfigurationError } from "../../errors.ts";
import { faultOfId } from "../../model/identifiers.ts";
import { fileError, makeDataFolder } from "../../store/sqlite/data-folder.ts";

/** Options of `troupe token`. */
export interface TokenOptions {
  readonly dataDir: string;
  readonly sub: string;
  readonly scopes: string;
  readonly expires: string;
  readonly audience?: string;
}

/** Files in the data folder: the private key that signs tokens, and the key set that a server verifies them with. */
const keyFile = "token-key.pem";
const setFile = "token-keys.json";

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** `troupe token`: prints a token for development, signed with a key in the data folder. The key is created if there is none. */
export async function token(options: TokenOptions): Promise<void> {
  const { dataDir, sub, audience } = options;
  const seconds = secondsOf(options.expires);
  const scopes = options.scopes.split(/[\s,]+/).filter(Boolean);
  const fault = faultOfId(sub);
  if (fault !== undefined) throw new ConfigurationError(`The user id given with --sub ${fault}.`);
  const { key, kid, isNew } = makeSigningKey(dataDir);
  const now = Math.floor(Date.now() / 1000);
  const claims = { sub, scopes, iat: now, exp: now + seconds, ...(audience === undefined ? {} : { aud: audience }) };
  const signed = await new SignJWT(claims).setProtectedHeader({ alg: "RS256", typ: "JWT", kid }).sign(key);
  if (isNew) console.error(`A key for development was made: ${join(dataDir, keyFile)}`);
  console.error(`A server accepts this token when it is started with JWT_JWKS_FILE=${join(dataDir, setFile)}`);
  console.log(signed);
}

/** The key that signs tokens. */
interface SigningKey {
  readonly key: KeyObject;
  readonly kid: string;
  /** Whether the key was created by this call. */
  readonly isNew: boolean;
}

/** Returns the signing key of a data folder, which is created if there is none. @throws ConfigurationError naming the file or folder that cannot be used */
export function makeSigningKey(folder: string): SigningKey {
  try {
    return keyIn(folder);
  } catch (error) {
    throw fileError((error as NodeJS.ErrnoException).path ?? folder, error);
  }
}

function keyIn(folder: string): SigningKey {
  const path = join(folder, keyFile);
  const isNew = !existsSync(path);
  if (isNew) {
    makeDataFolder(folder);
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    writeFileSync(path, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
  }
  const key = readKey(path);
  const { e = "", n = "" } = key.export({ format: "jwk" });
  // RFC 7638: the same key always has the same id.
  const kid = createHash("sha256")
    .update(JSON.stringify({ e, kty: "RSA", n }))
    .digest("base64url");
  const set = { keys: [{ kty: "RSA", n, e, kid, alg: "RS256", use: "sig" }] };
  const text = `${JSON.stringify(set, null, 2)}\n`;
  const setPath = join(folder, setFile);
  if (!existsSync(setPath) || readFileSync(setPath, "utf8") !== text) writeFileSync(setPath, text);
  return { key, kid, isNew };
}

function readKey(path: string): KeyObject {
  const text = readFileSync(path);
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === "rsa") return key;
  } catch {
    // The error is thrown below, without the content of the file.
  }
  throw new ConfigurationError(`${path} holds no RSA key: remove it, and another one is made.`);
}

/** Parses a duration: `90s`, `15m`, `8h`, `30d`; a number alone is in seconds. @throws ConfigurationError */
function secondsOf(text: string): number {
  const [, number, unit = "s"] = /^(\d{1,9})([smhd])?$/.exec(text) ?? [];
  const seconds = Number(number) * (units[unit] ?? 0);
  if (seconds > 0) return seconds;
  throw new ConfigurationError(`--expires takes a time like 15m, 8h or 30d, not "${text}".`);
}
