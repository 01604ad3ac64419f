/** Returns a function that prints progress to standard error: a line whenever another tenth of a step is done, and at most one per second. */
export function progressOf(): (step: string, share: number) => void {
  let printed = { step: "", tenth: 0, at: performance.now() };
  return (step, share) => {
    const tenth = Math.floor(share * 10);
    const now = performance.now();
    if (now - printed.at < 1_000 || (step === printed.step && tenth <= printed.tenth)) return;
    printed = { step, tenth, at: now };
    console.error(`${step}: ${tenth * 10} %`);
  };
}
