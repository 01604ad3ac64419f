/** The demo platform with the line protocol beside HTTP: `npm run line-protocol`. */
import { createServer } from "troupe";
import platform from "../demo/app.ts";
import { lineProtocol } from "./line-protocol.ts";

const server = await createServer(platform, { interfaces: [lineProtocol(7778)] });
console.log(`HTTP at ${await server.listen()}, the line protocol at 127.0.0.1:7778`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void server.close());
