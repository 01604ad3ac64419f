import { chownSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { tlsHint } from "../../src/store/postgres/tls.ts";
import { certificate, certificateKey } from "../support/certificate.ts";
import { makeFolder, unprivilegedUser } from "../support/postgres-folders.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { appFile, workplace } from "./support/troupe.ts";

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let server: PostgresServer;
let folder: string;
let authority: string;

beforeAll(async () => {
  const user = unprivilegedUser();
  folder = makeFolder(user, tmpdir());
  const [cert = "", key = ""] = [certificate, certificateKey].map((text, number) => {
    const path = join(folder, `${number}.pem`);
    writeFileSync(path, text, { mode: 0o600 });
    if (user) chownSync(path, user.uid, user.gid);
    return path;
  });
  authority = cert;
  server = await startPostgres({ settings: { ssl: "on", ssl_cert_file: cert, ssl_key_file: key } });
}, 120_000);

afterAll(async () => {
  await server.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns doctor's finding on the database. */
async function found(url: string, options: string, environment: Record<string, string> = {}) {
  await using place = await workplace({ "app.ts": appFile() });
  const { stdout, stderr } = await place.troupe(`doctor --port 0 --database ${url}?${options}`, environment);
  expect(stderr).toBe("");
  return /^(\w+) +database +(.*)$/m.exec(stdout)?.slice(1);
}

/** Returns the URL with the host name of the certificate. */
const named = (): string => server.url.replace("127.0.0.1", "localhost");
const works = ["ok", "it answers; a start brings its schema up to date"];

test.each(["require", "prefer", "verify-ca", "verify-full"])(
  "sslmode=%s verifies the certificate, and the error for an untrusted one contains a remedy",
  async (mode) => {
    expect(await found(named(), `sslmode=${mode}`)).toEqual([
      "PROBLEM",
      expect.stringMatching(/self-signed certificate.*\. Name the file .*: sslrootcert=.* NODE_EXTRA_CA_CERTS=/),
    ]);
    expect(await found(named(), `sslmode=${mode}&sslrootcert=${authority}`)).toEqual(works);
  },
);

test("NODE_EXTRA_CA_CERTS is trusted, and modes without verification connect", async () => {
  expect(await found(named(), "sslmode=require", { NODE_EXTRA_CA_CERTS: authority })).toEqual(works);
  for (const options of ["sslmode=no-verify", "uselibpqcompat=true&sslmode=require"]) {
    expect([options, await found(named(), options)]).toEqual([options, works]);
  }
});

test("a wrong host name, a missing certificate file and a server without TLS each get an error with a remedy", async () => {
  expect(await found(server.url, `sslmode=require&sslrootcert=${authority}`)).toEqual([
    "PROBLEM",
    expect.stringMatching(/does not match certificate's altnames.*\. Connect by a name that its certificate is for$/),
  ]);
  expect(await found(named(), "sslrootcert=/no/file.pem")).toEqual([
    "PROBLEM",
    expect.stringMatching(/^the database's connection string cannot be used: ENOENT.*\/no\/file\.pem/),
  ]);
  expect(await found(inject("postgresUrl"), "sslmode=require")).toEqual([
    "PROBLEM",
    expect.stringMatching(/does not support SSL connections\. sslmode=disable connects without TLS$/),
  ]);
  const refused = new Error('no pg_hba.conf entry for host "10.0.0.1", user "me", database "x", no encryption');
  expect(tlsHint(refused)).toContain("sslmode=verify-full");
});

test("with several hosts, each certificate is verified for its own host name", async () => {
  const hosts = `${new URL(server.url).host},${new URL(named()).host}`;
  const several = server.url.replace(/@[^/]*/, `@${hosts}`);
  expect(await found(several, `sslmode=verify-full&sslrootcert=${authority}`)).toEqual(works);
  const wrong = server.url.replace(/@([^/]*)/, "@$1,$1");
  expect(await found(wrong, `sslmode=verify-full&sslrootcert=${authority}`)).toEqual([
    "PROBLEM",
    expect.stringMatching(/no host is usable: .*does not match certificate's altnames.*Connect by a name/),
  ]);
});
