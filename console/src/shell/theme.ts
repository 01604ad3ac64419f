/** Colours, type and sizes. */
import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineThemeOverride,
  parseThemeColor,
} from "@mantine/core";

/** The library's header element of a dialog would be a second banner of the page. */
const dialog = {
  defaultProps: { closeButtonProps: { "aria-label": "Close" }, attributes: { header: { role: "presentation" } } },
};

export const theme: MantineThemeOverride = createTheme({
  primaryColor: "indigo",
  // White on shade 6 has too little contrast.
  primaryShade: 7,
  autoContrast: true,
  defaultRadius: "md",
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  cursorType: "pointer",
  // The library's light variant has too little contrast for WCAG 2.2 AA.
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    const { isThemeColor, color } = parseThemeColor({
      color: input.color ?? input.theme.primaryColor,
      theme: input.theme,
    });
    if (input.variant !== "light" || !isThemeColor) return colors;
    return {
      ...colors,
      color: `light-dark(color-mix(in srgb, var(--mantine-color-${color}-9), black 35%), var(--mantine-color-${color}-2))`,
    };
  },
  components: {
    Modal: dialog,
    Drawer: dialog,
    Notification: {
      defaultProps: { closeButtonProps: { "aria-label": "Close" } },
      // The library's grey has too little contrast.
      styles: { description: { color: "var(--mantine-color-dimmed)" } },
    },
  },
});

/** The library's colours of secondary texts and of faults have too little contrast for WCAG 2.2 AA. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#596069",
    "--mantine-color-placeholder": "#6b727b",
    "--mantine-color-red-text": "#a61e1e",
    "--mantine-color-error": "#a61e1e",
  },
  dark: { "--mantine-color-dimmed": "#a9adb2", "--mantine-color-placeholder": "#93989e" },
});
