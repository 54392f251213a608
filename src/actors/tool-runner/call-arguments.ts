/** The real arguments of a call: from memory where the log has only their masked form. */
import { judgeCall } from "../../hooks/index.ts";
import type { FactData, Json } from "../../events/index.ts";
import { restoreSecrets, type RestorableSecrets } from "../../secrets/index.ts";
import { checkArguments, type ToolParameters } from "../../tools/index.ts";
import type { SessionViews } from "../session-views.ts";

type Args = Readonly<Record<string, unknown>>;

/** Where arguments are looked up. */
export interface ArgumentSources {
  readonly views: () => Pick<SessionViews, "session">;
  /** Data of an input before its secrets were hidden; `null` when there were none or the process is another. */
  readonly unmasked: (version: number) => unknown;
  /** Those that placeholders stand for. */
  readonly secrets: RestorableSecrets;
}

/** Arguments, and whether a hook put them in the place of the model's. `null` when the real ones are lost. */
export function realArguments(
  callId: string,
  { views, unmasked }: ArgumentSources,
): { readonly args: Args; readonly isReplaced: boolean } | null {
  const call = views().session.calls[callId];
  if (call === undefined) return null;
  const { judged } = call;
  if (judged?.replaced === true) {
    if (!judged.masked) return { args: call.args ?? {}, isReplaced: true };
    const answered = unmasked(judged.version) as FactData<"hook.answered"> | null;
    const replaced = answered === null ? null : judgeCall(answered.answers).args;
    return replaced === null ? null : { args: replaced, isReplaced: true };
  }
  if (!call.masked) return { args: call.args ?? {}, isReplaced: false };
  const answer = unmasked(call.answeredAt) as FactData<"model.responded"> | null;
  const args = answer?.calls.find((candidate) => candidate.callId === callId)?.args ?? null;
  return args === null ? null : { args, isReplaced: false };
}

/**
 * The arguments as a tool gets them: bent to its schema where a rule allows, with secrets in the place of their
 * placeholders. What a hook put in their place is handed over as it is.
 */
export async function usableArguments(
  tool: ToolParameters,
  { args, isReplaced }: { readonly args: Args; readonly isReplaced: boolean },
  secrets: RestorableSecrets,
): Promise<UsableArguments> {
  if (isReplaced) return { ok: true, args };
  const checked = await checkArguments(tool, args);
  if (!checked.ok) return checked;
  // Arguments are JSON: they were parsed from text.
  const restored = restoreSecrets(checked.args as Json, secrets);
  if (restored.ok) return { ok: true, args: restored.value as Args };
  return { ok: false, errorType: "secret_not_set", message: `Secret ${restored.name} is not set` };
}

/** Arguments for a tool, or the words of the error result in its place. */
export type UsableArguments =
  | { readonly ok: true; readonly args: Args }
  | { readonly ok: false; readonly errorType: string; readonly message: string };
