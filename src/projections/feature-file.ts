/** What the log says of the feature requirements of a folder: the file that it knows, and who set which status. */
import type { FactData, FactOf } from "../events/index.ts";
import type { Projection } from "./projection.ts";

type Status = FactData<"feature.status_changed">["to"];

/** The last status that was set through the runtime. */
export interface FeatureStatusView {
  readonly status: Status;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The session that it was set for; `null` for none. */
  readonly sessionId: string | null;
}

type Statuses = Readonly<Record<string, FeatureStatusView>>;

/** A feature file by its facts. */
export interface FeatureFileView {
  /** `null` before the first fact. */
  readonly cwd: string | null;
  /** Digest of the file as it was last written or seen; `null` when nothing is known of one. */
  readonly sha256: string | null;
  /** A write whose outcome is not known yet, and what it sets: none of it counts before it is finished. */
  readonly open: { readonly sha256: string; readonly statuses: Statuses } | null;
  /** By id. */
  readonly statuses: Statuses;
  /** The document that was generated last; `null` for none. */
  readonly generated: FactData<"features.generated">["document"] | null;
}

type FeatureFact =
  | "features.generation_requested"
  | "features.generated"
  | "features.generation_failed"
  | "feature_file.written"
  | "feature.status_changed"
  | "feature_file.write_finished"
  | "feature_file.write_abandoned"
  | "feature_file.changed_outside";

/** The feature requirements of a folder. A status of a write that was abandoned was never set. */
export const featureFile: Projection<FeatureFileView, FeatureFact> = {
  name: "feature_file",
  version: 1,
  initial: { cwd: null, sha256: null, open: null, statuses: {}, generated: null },
  types: {
    "features.generation_requested": true,
    "features.generated": true,
    "features.generation_failed": true,
    "feature_file.written": true,
    "feature.status_changed": true,
    "feature_file.write_finished": true,
    "feature_file.write_abandoned": true,
    "feature_file.changed_outside": true,
  },
  fold: (before, fact) => foldFeatures({ ...before, cwd: fact.data.cwd }, fact),
};

function foldFeatures(view: FeatureFileView, fact: FactOf<FeatureFact>): FeatureFileView {
  switch (fact.type) {
    case "features.generation_requested":
    case "features.generation_failed":
      return view;
    case "features.generated":
      return { ...view, generated: fact.data.document };
    case "feature_file.written":
      return { ...view, open: { sha256: fact.data.sha256, statuses: {} } };
    case "feature.status_changed": {
      if (view.open === null) return view;
      const { featureId, to, sessionId } = fact.data;
      const set = { status: to, at: fact.at, sessionId };
      return { ...view, open: { ...view.open, statuses: { ...view.open.statuses, [featureId]: set } } };
    }
    case "feature_file.write_finished": {
      const statuses = { ...view.statuses, ...view.open?.statuses };
      return { ...view, sha256: fact.data.sha256, open: null, statuses };
    }
    case "feature_file.write_abandoned":
      return { ...view, open: null };
    case "feature_file.changed_outside":
      return { ...view, sha256: fact.data.sha256 };
  }
}
