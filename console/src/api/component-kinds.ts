/** The kinds of components that a platform hosts. */
export const componentKinds = ["agent", "team", "workflow"] as const;
export type ComponentKind = (typeof componentKinds)[number];

export function isComponentKind(text: string): text is ComponentKind {
  return componentKinds.some((kind) => kind === text);
}
