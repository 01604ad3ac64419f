/** A server with the interface of S3, installed into a folder of its own: only one test needs it. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { AwsClient } from "aws4fetch";
import type { S3Credentials } from "../../../src/knowledge/sources/s3.ts";

export interface S3Server extends AsyncDisposable {
  readonly address: string;
  readonly keys: S3Credentials;
  /** Stores a file in the bucket `docs`. */
  put(key: string, content: string): Promise<void>;
}

type Library = {
  readonly default: new (options: object) => { run(): Promise<{ port: number }>; close(): Promise<void> };
};

/** Installs the server and starts it with the bucket `docs`. It refuses unknown keys. */
export async function openS3Server(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-s3-"));
  await writeFile(join(folder, "package.json"), "{}");
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "s3rver@3.7.1"];
  await promisify(execFile)("npm", install, { cwd: folder });
  const { default: Server } = (await import(join(folder, "node_modules/s3rver/lib/s3rver.js"))) as Library;
  await mkdir(join(folder, "files"));
  const server = new Server({
    ...{ address: "127.0.0.1", port: 0, silent: true, directory: join(folder, "files") },
    configureBuckets: [{ name: "docs" }],
  });
  const { port } = await server.run();
  const address = `http://127.0.0.1:${port}`;
  const keys = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };
  const client = new AwsClient({ ...keys, service: "s3", region: "us-east-1", retries: 0 });
  return {
    address,
    keys,
    async put(key, content) {
      const path = key.split("/").map(encodeURIComponent).join("/");
      const answer = await client.fetch(`${address}/docs/${path}`, { method: "PUT", body: content });
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
