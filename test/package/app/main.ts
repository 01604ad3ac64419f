import { createServer } from "troupe";
import platform from "./app.ts";

const server = await createServer(platform, { dataDir: process.argv[2] ?? ".troupe" });
const response = await server.inject({ method: "GET", url: "/agents" });
await server.close();

console.log(JSON.stringify({ troupe: import.meta.resolve("troupe"), agents: response.json() }));
