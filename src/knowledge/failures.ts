/** Failures of ingestions and searches whose texts clients see. */
import { TroupeError } from "../errors.ts";

/** The document cannot be ingested: another attempt would fail, too. */
export class IngestionRejected extends Error {
  override readonly name = "IngestionRejected";
}

/** The origin of a document does not have it at present: another attempt may succeed. Clients see the text if none does. */
export class OriginUnavailable extends Error {
  override readonly name = "OriginUnavailable";
}

/** The vector store of a knowledge base does not answer: a hybrid search continues with words. */
export class VectorStoreUnavailable extends TroupeError {
  constructor(cause: unknown) {
    super("unavailable", "The vector store of the knowledge base is not available.", { cause });
  }
}
