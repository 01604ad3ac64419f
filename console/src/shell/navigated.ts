/** Whether the caller has opened another screen since the page was loaded. Only then a screen takes the focus. */
let count = 0;

export function recordNavigation(): void {
  count++;
}

export function hasNavigated(): boolean {
  return count > 1;
}
