/** Requirements that no test holds yet, with the part that brings them. */
export interface Pending {
  readonly ids: string;
  readonly brings: string;
  /** Whether tests hold some of it already. */
  readonly partly?: boolean;
}

export const pending: readonly Pending[] = [];
