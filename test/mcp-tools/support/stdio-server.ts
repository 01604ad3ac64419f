/** An MCP server over standard input and output. It writes its process id to the file in the variable `PID_FILE`. */
import { appendFileSync } from "node:fs";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createTools } from "./tools.ts";

const { PID_FILE, TOKEN } = process.env;
if (PID_FILE) appendFileSync(PID_FILE, `${process.pid}\n`);
serveStdio(() =>
  createTools(
    {
      onCall: (tool) => {
        if (tool === "fail" && TOKEN === "die") process.exit(1);
      },
    },
    TOKEN,
  ),
);
