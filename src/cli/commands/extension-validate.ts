/** `lemon extension validate PATH…` */
import { stat } from "node:fs/promises";
import path from "node:path";
import { NotFoundError } from "../../errors.ts";
import { findManifests, readManifest, type ManifestReport } from "../../extensions/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";

/** Checks manifests, named themselves or by the folder that holds them. Runs no code. */
export async function validateExtensions({ out, cwd }: Context, named: readonly string[]): Promise<Status> {
  const places = named.map((each) => path.resolve(cwd, each));
  const found = await Promise.all(places.map(manifestsAt));
  const files = [...new Set(found.flat())];
  if (files.length === 0) throw new NotFoundError("No extension manifests found.");

  const reports = await Promise.all(files.map(readManifest));
  if (out.json) out.document({ manifests: reports.map(({ pathHash: _hash, ...report }) => report) });
  else
    for (const report of reports) {
      out.line(`${report.valid ? out.paint("green", "PASS") : out.paint("red", "FAIL")} ${report.path}`);
      for (const line of detailsOf(report)) out.line(`  ${line}`);
      for (const error of report.errors) out.fault(`  - ${error}`);
    }

  const empty = places.filter((_, at) => found[at]?.length === 0);
  for (const place of empty) out.error(`No extension manifests found in ${place}.`);
  if (reports.some(({ valid }) => !valid)) {
    out.error("Extension manifest validation failed.");
    return statuses.failed;
  }
  return empty.length === 0 ? statuses.done : statuses.notThere;
}

async function manifestsAt(place: string): Promise<readonly string[]> {
  const found = await stat(place).catch(() => null);
  if (found === null) return [];
  return found.isDirectory() ? findManifests(place) : [place];
}

function detailsOf({ capabilities, providerTypes }: ManifestReport): string[] {
  const lists = { capabilities, "provider types": providerTypes };
  return Object.entries(lists).flatMap(([name, list]) =>
    list.length === 0 ? [] : [`${name}: ${list.join(", ")}`],
  );
}
