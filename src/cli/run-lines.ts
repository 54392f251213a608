/** A background run for people. docs/reference/cli.md, "lemon background" */
import type { BackgroundRunResult, BackgroundRunSummary } from "../runtime/index.ts";
import { statuses, type Status } from "./errors.ts";
import type { Output } from "./output.ts";
import { namePrintable, timeOf } from "./printable.ts";

/** A run as a row of a list. */
export function runRow(run: BackgroundRunSummary): string[] {
  return [run.id, statusWords(run), timeOf(run.insertedAt), seconds(run.elapsedMs), files(run)];
}

/** A run as lines. */
export function runLines(run: BackgroundRunSummary): string[] {
  const { startedAt, completedAt, owner, attempt, errorCode } = run;
  return [
    `run       ${run.id}`,
    `status    ${statusWords(run)}`,
    ...(errorCode === null ? [] : [`error     ${errorCode}`]),
    `queued    ${timeOf(run.insertedAt)}`,
    ...(startedAt === null ? [] : [`started   ${timeOf(startedAt)}`]),
    ...(completedAt === null ? [] : [`ended     ${timeOf(completedAt)}`]),
    `worked    ${seconds(run.elapsedMs)}${attempt > 1 ? `, attempt ${attempt}` : ""}`,
    `changed   ${files(run)}`,
    ...(owner === null ? [] : [`process   ${owner.pid} on ${owner.host}`]),
  ];
}

/**
 * What a run came to: the model's words on standard output, the rest on standard error.
 *
 * @param isTold - its words were shown already
 */
export function showResult(out: Output, result: BackgroundRunResult, isTold = false): Status {
  const { id, status, text, partialText, errorCode, filesChanged, coverage } = result;
  const words = text ?? partialText;
  if (words !== null && !(isTold && text !== null)) out.line(words.trimEnd());
  for (const { path, change } of filesChanged) out.note(`${change} ${namePrintable(path)}`);
  if (coverage !== "full" && filesChanged.length > 0)
    out.note("other files may have changed too: see docs/reference/coverage.md");
  if (status === "queued" || status === "running") out.note(`${id} is ${status}: there is no result yet`);
  else if (status !== "completed") out.fault(`${id} ended as ${status}: ${errorCode ?? ""}`);
  return statusOfResult(result);
}

/** Done only when the run completed. */
export function statusOfResult({ status }: Pick<BackgroundRunResult, "status">): Status {
  return status === "completed" ? statuses.done : statuses.failed;
}

function statusWords({ status, waitingForApproval }: BackgroundRunSummary): string {
  return waitingForApproval ? `${status}, waits for approval` : status;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function files({ filesChangedCount: count }: BackgroundRunSummary): string {
  return `${count} ${count === 1 ? "file" : "files"}`;
}
