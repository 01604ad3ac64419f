/** Checks the option `mcp` of a platform. */
import { ConfigurationError } from "../../errors.ts";
import type { McpOptions } from "../../model/mcp.ts";
import { type Known, refuseUnknown } from "../checks.ts";

const known: Known<McpOptions> = { componentTools: true, url: true };

/** Rejects options that are unknown or invalid. @throws ConfigurationError */
export function checkMcp(platform: string, options: unknown): McpOptions | false {
  if (options === false) return false;
  if (options === undefined || options === true) return {};
  const title = `${platform}: mcp`;
  if (typeof options !== "object" || options === null) {
    throw new ConfigurationError(`${title} must be true, false or an object with options.`);
  }
  refuseUnknown(title, options, known);
  const { componentTools, url } = options as McpOptions;
  if (componentTools !== undefined && typeof componentTools !== "boolean") {
    throw new ConfigurationError(`${title}: componentTools must be true or false.`);
  }
  if (url !== undefined && !(typeof url === "string" && /^https?:\/\//.test(url) && URL.canParse(url))) {
    throw new ConfigurationError(`${title}: url must be an address that begins with http:// or https://.`);
  }
  return options as McpOptions;
}
