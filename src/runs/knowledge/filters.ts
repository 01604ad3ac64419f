/** Checks the filters by which a start narrows the searches of its run. */

import { isFactory } from "../../define/factory.ts";
import { knowledgeUseOf } from "../../define/knowledge-use.ts";
import type { Entry } from "../../define/platform.ts";
import { isRemote } from "../../define/remote.ts";
import { componentsWithin } from "../../define/within.ts";
import { TroupeError } from "../../errors.ts";
import { readMetadataFilters } from "../../model/metadata-filters.ts";

/** @throws TroupeError `badRequest` for filters that the searches of the component cannot apply */
export function checkKnowledgeFilters(entry: Entry, filters: unknown): void {
  if (filters === undefined || isRemote(entry) || isFactory(entry) || readMetadataFilters(filters)) return;
  const searches = componentsWithin([entry]).some((one) => "model" in one && knowledgeUseOf(one) !== undefined);
  if (searches)
    throw new TroupeError(
      "badRequest",
      'knowledge_filters must be an object such as {"product": "x100", "year": {"gte": 2024}}, or a list of expressions with EQ, IN, GT, GTE, LT, LTE and AND.',
    );
}
