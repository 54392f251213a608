/** Features over a log in memory and a folder of their own. */
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll } from "vitest";
import { Features, type FeatureModel, type FeatureParts } from "../../../src/harness/index.ts";
import { sha256 } from "../../../src/harness/features/file.ts";
import type { Fact } from "../../../src/events/index.ts";
import { openEventLog, type EventLog } from "../../../src/log/index.ts";
import { silentLogger } from "../../../src/ports.ts";
import { countingIds } from "../../support/ids.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { factsOf, temporaryFolder } from "../../support/runtimes.ts";

export const FILE = "FEATURE_REQUIREMENTS.json";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is removed after the tests of this file. */
export function folder(): string {
  const made = realpathSync(temporaryFolder());
  folders.push(made);
  return made;
}

/** A folder with its features, and all that they write. */
export class Desk {
  readonly cwd: string;
  readonly log: EventLog;
  readonly clock = new ManualClock(Date.parse("2026-11-30T12:00:00.000Z"));
  readonly warnings: object[] = [];
  features: Features;

  constructor(log: EventLog, parts: Partial<FeatureParts> = {}, cwd = folder()) {
    this.log = log;
    this.cwd = cwd;
    this.features = this.open(parts);
  }

  static async make(parts: Partial<FeatureParts> = {}): Promise<Desk> {
    return new Desk(await openEventLog(":memory:"), parts);
  }

  /** Features as another process would have them. */
  open(parts: Partial<FeatureParts> = {}): Features {
    count += 1;
    return new Features({
      log: this.log,
      cwd: this.cwd,
      clock: this.clock,
      ids: countingIds(count * 0x10000),
      logger: { ...silentLogger, warn: (fields) => void this.warnings.push(fields) },
      mask: (value) => value,
      model: () => Promise.resolve(null),
      ...parts,
    });
  }

  get file(): string {
    return path.join(this.cwd, FILE);
  }

  get stream(): string {
    return `features-${sha256(this.cwd).slice(0, 16)}`;
  }

  put(content: unknown): void {
    mkdirSync(this.cwd, { recursive: true });
    writeFileSync(
      this.file,
      typeof content === "string" || content instanceof Uint8Array
        ? content
        : JSON.stringify(content, null, 2),
    );
  }

  get bytes(): string {
    return readFileSync(this.file, "utf8");
  }

  get json(): Record<string, unknown> {
    return JSON.parse(this.bytes) as Record<string, unknown>;
  }

  /** What lies in the folder beside the file. */
  get litter(): string[] {
    return readdirSync(this.cwd).filter((name) => name !== FILE);
  }

  facts(): Promise<Fact[]> {
    return factsOf(this.log, this.stream);
  }

  async types(): Promise<string[]> {
    return (await this.facts()).map(({ type }) => type);
  }
}
let count = 0;

/** A model that gives these texts, one after the other. */
export function modelOf(answer: Awaited<ReturnType<FeatureModel["complete"]>>): FeatureModel {
  return { ref: "m/m", complete: () => Promise.resolve(answer) };
}

const usage = { inputTokens: 1, outputTokens: 2, cachedInputTokens: 0, reasoningTokens: 0 };

export function said(text: string, finishReason = "stop"): FeatureModel {
  return modelOf({ ok: true, text, finishReason, usage });
}

/** A small file as a person might write it. */
export const sample = {
  project_name: "Shop",
  "x-owner": "me",
  features: [
    { id: "cart", description: "A cart", status: "completed", "x-size": 3 },
    { id: "pay", description: "Paying", dependencies: ["cart"], priority: "high", notes: "hard" },
    { id: "mail", dependencies: ["pay"] },
  ],
};
