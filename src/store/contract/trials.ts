/** The stores of feedback, datasets and experiments. */
import type { DatasetStore } from "./datasets.ts";
import type { ExperimentStore } from "./experiments.ts";
import type { FeedbackStore } from "./feedback.ts";

export interface TrialStores {
  readonly feedback: FeedbackStore;
  readonly datasets: DatasetStore;
  readonly experiments: ExperimentStore;
}
