/** Feedback, datasets and experiments of a database. */
import type { TrialStores } from "../../contract/trials.ts";
import type { Database } from "../../database.ts";
import { datasetStore } from "./datasets.ts";
import { experimentStore } from "./experiments.ts";
import { feedbackStore } from "./feedback.ts";

export function trialStores(database: Database): TrialStores {
  return {
    feedback: feedbackStore(database),
    datasets: datasetStore(database),
    experiments: experimentStore(database),
  };
}
