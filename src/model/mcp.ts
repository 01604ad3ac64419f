/** The MCP server of a platform: the options of `definePlatform({ mcp })`. */

/** Options of the MCP server at `/mcp`. */
export interface McpOptions {
  /**
   * Whether each component is a tool of its own, in addition to `run_agent`, `run_team` and `run_workflow`: `agent_researcher`, with the component's
   * description and input. Default false.
   */
  readonly componentTools?: boolean;
  /**
   * Public URL of this server in the OAuth metadata, for instance `https://agents.example`. Set it behind a proxy that changes the `Host` header. Default: the
   * address of the request.
   */
  readonly url?: string;
}
