/** Texts of measures. */
import { formatCost, formatDuration } from "../../components/values.tsx";
import type { Measure } from "./summary.ts";

export function formatMeasure(unit: Measure["unit"], value: number | null): string {
  if (value === null) return "–";
  if (unit === "usd") return formatCost(value);
  if (unit === "seconds") return formatDuration(value * 1000);
  return unit === "score" ? value.toFixed(2) : String(value);
}
