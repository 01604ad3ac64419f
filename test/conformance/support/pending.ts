/** Requirements that no test cites yet, with the part that will implement them. */
export interface Pending {
  readonly ids: string;
  readonly brings: string;
  /** Whether some tests cite it already. */
  readonly partly?: boolean;
}

export const pending: readonly Pending[] = [];
