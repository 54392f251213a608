/** `lemon doctor` */
import path from "node:path";
import { writeBundle } from "../bundle.ts";
import { diagnose, type Diagnosis } from "../diagnosis.ts";
import { statuses, type Status } from "../errors.ts";
import type { DoctorFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { columns } from "../printable.ts";

/** Tells what is set up here; with a bundle it also writes what may be sent to others. Status 1 for a wrong configuration. */
export async function doctor(context: Context, version: string, flags: DoctorFlags): Promise<Status> {
  const { out } = context;
  const { diagnosis, extensions } = await diagnose(context, version);
  const bundle = flags.bundle === undefined ? null : path.resolve(flags.bundle);
  if (bundle !== null) await writeBundle(bundle, diagnosis, extensions);
  const { problems, warnings } = diagnosis.config;
  if (out.json) out.document({ ...diagnosis, bundle });
  else {
    for (const line of linesOf(diagnosis, context.cwd)) out.line(line);
    if (bundle !== null) out.line(`bundle      ${bundle}`);
    for (const warning of warnings) out.warn(warning);
    for (const problem of problems) out.error(problem);
  }
  return problems.length === 0 ? statuses.done : statuses.failed;
}

function linesOf(
  { version, node, platform, home, log, config, extensions }: Diagnosis,
  cwd: string,
): string[] {
  const size = log.bytes === null ? "" : ` (${log.bytes} bytes)`;
  const files = config.files.map(({ path: file, exists, trusted }) => {
    const trust = trusted ? "" : `, not trusted (to trust it: lemon trust ${cwd})`;
    return `${file}${exists ? trust : ", not there"}`;
  });
  const { enabled, autoLoadDefaultPaths, directories } = extensions;
  const standard = autoLoadDefaultPaths ? "loaded" : "only looked at";
  const folders = directories.map((folder) => [
    `            ${folder.origin}`,
    folder.exists
      ? `${count(folder.files, "file")}, ${count(folder.manifests, "manifest")}${wrong(folder.invalidManifests)}`
      : "not there",
    folder.loaded ? "loaded" : "not loaded",
    folder.path,
  ]);
  return [
    `lemon       ${version}, Node ${node}, ${platform}`,
    `home        ${home.path}${home.exists ? "" : ", not there"}`,
    `log         ${log.location}${log.exists ? size : ", not there"}`,
    ...files.map((file, at) => `${at === 0 ? "config      " : "            "}${file}`),
    ...(config.ignoredKeys.length === 0 ? [] : [`untrusted   ${config.ignoredKeys.join(", ")}`]),
    `extensions  ${enabled ? `on, the default folders are ${standard}` : "off"}`,
    ...columns(folders),
  ];
}

function wrong(manifests: number): string {
  return manifests === 0 ? "" : ` (${manifests} wrong)`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
