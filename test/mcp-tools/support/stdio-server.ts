/** An MCP server over standard input and output. It writes its process id to the file in the variable `PID_FILE`, and the names of called tools to the file in `CALL_FILE`. */
import { appendFileSync } from "node:fs";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createTools } from "./tools.ts";

const { CALL_FILE, PID_FILE, TOKEN } = process.env;
if (PID_FILE) appendFileSync(PID_FILE, `${process.pid}\n`);
serveStdio(() =>
  createTools(
    {
      onCall: (tool) => {
        if (CALL_FILE) appendFileSync(CALL_FILE, `${tool}\n`);
        if (tool === "fail" && TOKEN === "die") process.exit(1);
      },
    },
    TOKEN,
  ),
);
