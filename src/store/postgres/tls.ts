/** Hints for failed TLS connections to Postgres. */

const authorityHint =
  "Name the file with the certificate of its authority: sslrootcert=<file> in the connection string, or NODE_EXTRA_CA_CERTS=<file> (docs/operating.md)";

/** Hints by Node's error code for a certificate problem. */
const hints: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: authorityHint,
  SELF_SIGNED_CERT_IN_CHAIN: authorityHint,
  UNABLE_TO_GET_ISSUER_CERT: authorityHint,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: authorityHint,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: authorityHint,
  CERT_HAS_EXPIRED: "The server needs a new certificate",
  ERR_TLS_CERT_ALTNAME_INVALID: "Connect by a name that its certificate is for",
};

/** The hint for a connection error, to append to its message; empty if TLS is not the cause. */
export function tlsHint(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const hint = hints[String(code)] ?? serverHint(String(message));
  return hint === undefined ? "" : `. ${hint}`;
}

/** Hints for connections where one side requires TLS or does not support it: such errors have a message but no code. */
function serverHint(message: string): string | undefined {
  if (message === "The server does not support SSL connections") return "sslmode=disable connects without TLS";
  if (/pg_hba\.conf.* no encryption$/.test(message))
    return "It may require TLS: sslmode=verify-full (docs/operating.md)";
  return undefined;
}
