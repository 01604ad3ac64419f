/** Failures of ingestions whose texts clients see. */

/** The document cannot be ingested: another attempt would fail, too. */
export class IngestionRejected extends Error {
  override readonly name = "IngestionRejected";
}

/** The origin of a document does not have it at present: another attempt may succeed. Clients see the text if none does. */
export class OriginUnavailable extends Error {
  override readonly name = "OriginUnavailable";
}
