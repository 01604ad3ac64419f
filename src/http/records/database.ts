/** The one database of a platform, as the interface names it. */
export const database: { readonly id: string; readonly tables: readonly [string, ...string[]] } = {
  id: "main",
  tables: ["sessions"],
};
