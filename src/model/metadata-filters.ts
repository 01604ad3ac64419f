/** Filters of documents by their metadata, as callers and definitions write them. */
import { isStorable } from "./storable.ts";

/** A condition on a member of the metadata. */
export type MetadataFilter =
  | { readonly member: string; readonly equals: string | number | boolean | null }
  | { readonly member: string; readonly in: readonly (string | number | boolean)[] }
  | {
      readonly member: string;
      readonly above?: number;
      readonly atLeast?: number;
      readonly below?: number;
      readonly atMost?: number;
    };

/** Max conditions, and max values of a list. */
const maxFilters = 50;
const maxValues = 200;

const ranges = { gt: "above", gte: "atLeast", lt: "below", lte: "atMost" } as const;
const operators = { EQ: "equals", IN: "in", GT: "above", GTE: "atLeast", LT: "below", LTE: "atMost" } as const;

/**
 * Reads filters by member: a value, a list of values, or bounds of a number (`gt`, `gte`, `lt`, `lte`). Also reads a list of expressions such as
 * `{ op: "EQ", key, value }`, which must all match. Returns undefined for anything else.
 */
export function readMetadataFilters(given: unknown): readonly MetadataFilter[] | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const found = Array.isArray(given)
    ? given.flatMap((one): readonly (MetadataFilter | undefined)[] => fromExpression(one) ?? [undefined])
    : Object.entries(given).map(([member, value]) => fromValue(member, value));
  const filters = found.flatMap((one) => (one && isStorable(one.member) ? [one] : []));
  return filters.length === found.length && filters.length <= maxFilters ? filters : undefined;
}

function fromValue(member: string, value: unknown): MetadataFilter | undefined {
  if (value === null || isScalar(value)) return { member, equals: value };
  if (Array.isArray(value)) return isValues(value) ? { member, in: value } : undefined;
  if (typeof value !== "object") return undefined;
  const bounds = Object.entries(value);
  const isRange =
    bounds.length > 0 && bounds.every(([key, bound]) => Object.hasOwn(ranges, key) && Number.isFinite(bound));
  if (!isRange) return undefined;
  return { member, ...Object.fromEntries(bounds.map(([key, bound]) => [ranges[key as keyof typeof ranges], bound])) };
}

/** Reads an expression; several for `AND`. */
function fromExpression(given: unknown): readonly MetadataFilter[] | undefined {
  const { op, key, value, values = value, conditions } = Object(given) as Readonly<Record<string, unknown>>;
  if (op === "AND") return Array.isArray(conditions) ? readMetadataFilters(conditions) : undefined;
  if (typeof key !== "string" || typeof op !== "string" || !Object.hasOwn(operators, op)) return undefined;
  const name = operators[op as keyof typeof operators];
  if (name === "equals") return value === null || isScalar(value) ? [{ member: key, equals: value }] : undefined;
  if (name === "in") return isValues(values) ? [{ member: key, in: values }] : undefined;
  return Number.isFinite(value) ? [{ member: key, [name]: value }] : undefined;
}

function isValues(value: unknown): value is readonly (string | number | boolean)[] {
  return Array.isArray(value) && value.length <= maxValues && value.every(isScalar);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" ? isStorable(value) : typeof value === "boolean" || Number.isFinite(value);
}
