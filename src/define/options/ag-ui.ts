/** Checks the option `agUi` of a platform. */
import { ConfigurationError } from "../../errors.ts";
import type { AgUiOptions } from "../../model/ag-ui.ts";
import { type Known, refuseUnknown } from "../checks.ts";

const known: Known<AgUiOptions> = { component: true };

/** Components by the first part of their paths. */
type Components = Readonly<Record<"agents" | "teams" | "workflows", readonly { readonly id: string }[]>>;

/** Rejects options that are unknown, and a component that does not exist. @throws ConfigurationError */
export function checkAgUi(platform: string, options: unknown, components: Components): AgUiOptions | false {
  if (options === false) return false;
  if (options === undefined || options === true) return {};
  const title = `${platform}: agUi`;
  if (typeof options !== "object" || options === null) {
    throw new ConfigurationError(`${title} must be true, false or an object with options.`);
  }
  refuseUnknown(title, options, known);
  const { component } = options as AgUiOptions;
  if (component !== undefined && !isHosted(component, components)) {
    throw new ConfigurationError(
      `${title}: component ${JSON.stringify(component)} names no component of the platform: write "agent:<id>", "team:<id>" or "workflow:<id>".`,
    );
  }
  return options as AgUiOptions;
}

function isHosted(name: unknown, components: Components): boolean {
  if (typeof name !== "string") return false;
  const [kind = "", id] = name.split(/:(.*)/s);
  const list = `${kind}s`;
  return Object.hasOwn(components, list) && components[list as keyof Components].some((one) => one.id === id);
}
