/** Maps times to places. */
export interface Scale {
  /** Place of a time, from 0 to 1. */
  readonly place: (at: number) => number;
  /** Labels of the axis. */
  readonly ticks: readonly { readonly place: number; readonly ms: number }[];
}
