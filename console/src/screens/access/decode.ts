/** Decodes a JSON Web Token in the browser. It verifies nothing: neither the signature nor who issued the token. */

/** What a token contains. */
export interface DecodedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Undefined if the token has no claim with scopes under a usual name. */
  readonly scopes: { readonly claim: string; readonly values: readonly string[] } | undefined;
  /** When the token becomes valid and when it expires, in milliseconds since the epoch. */
  readonly notBefore: number | undefined;
  readonly expires: number | undefined;
  /** Reasons for which no server accepts the token. */
  readonly faults: readonly string[];
}

export type Explained =
  | { readonly kind: "token"; readonly token: DecodedToken }
  | { readonly kind: "service-account" }
  | { readonly kind: "other"; readonly reason: string };

/** Names of the claim with the scopes; the first is the server's default. */
const scopeClaims = ["scopes", "scope", "scp", "permissions", "roles"];

export function explainToken(text: string, now: number): Explained {
  const token = text.trim().replace(/^Bearer\s+/i, "");
  if (token.startsWith("agno_pat_")) return { kind: "service-account" };
  const parts = token.split(".");
  if (parts.length !== 3)
    return {
      kind: "other",
      reason: `A JSON Web Token has three parts with points between them, and this text has ${parts.length}.`,
    };
  const [header, claims] = parts.map(parsed);
  if (!header) return { kind: "other", reason: "The first part is not a JSON object in base64url." };
  if (!claims) return { kind: "other", reason: "The second part is not a JSON object in base64url." };
  const notBefore = timeOf(claims.nbf);
  const expires = timeOf(claims.exp);
  const faults = [
    ...(parts[2] === "" || String(header.alg).toLowerCase() === "none" ? ["It has no signature."] : []),
    ...(header.crit === undefined ? [] : ["Its header has critical extensions, which the server does not know."]),
    ...(expires !== undefined && expires <= now ? ["It has expired."] : []),
    ...(notBefore !== undefined && notBefore > now ? ["It is not valid yet."] : []),
  ];
  return { kind: "token", token: { header, claims, scopes: scopesOf(claims), notBefore, expires, faults } };
}

function scopesOf(claims: Readonly<Record<string, unknown>>): DecodedToken["scopes"] {
  for (const claim of scopeClaims) {
    const value = claims[claim];
    if (typeof value === "string") return { claim, values: value.split(/\s+/).filter(Boolean) };
    if (Array.isArray(value)) return { claim, values: value.filter((one) => typeof one === "string") };
  }
  return undefined;
}

function timeOf(seconds: unknown): number | undefined {
  return typeof seconds === "number" && Math.abs(seconds) < 8.64e12 ? seconds * 1000 : undefined;
}

function parsed(part: string): Record<string, unknown> | undefined {
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
