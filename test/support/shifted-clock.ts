/** Shifts the wall clock by `TEST_CLOCK_SHIFT` milliseconds. A test loads this file before the server. */
const shift = Number(process.env.TEST_CLOCK_SHIFT ?? 0);
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(RealDate.now() + shift);
    else super(...(given as [number]));
  }

  static override now(): number {
    return RealDate.now() + shift;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
