/** Who did it: the call that a fact ended, and what was asked of the agent then. */
import { upcast, type Fact, type FactData, type FactOf } from "../../events/index.ts";
import { historyOf, type EventLog } from "../../log/index.ts";
import type { Step } from "../materialise/workspace-history.ts";

/** A call, or a restore of files, behind a change. */
export interface CallBehind {
  /** `null`: no call, but a restore that a person asked for. */
  readonly callId: string | null;
  readonly tool: string | null;
  readonly args: unknown;
  /** What the run was started with; `null` when that is not known. */
  readonly prompt: string | null;
  readonly promptVersion: number | null;
  /** Relative to the workspace. */
  readonly paths: readonly string[];
}

type Asked = FactOf<"model.responded" | "prompt.submitted">;

const asked: readonly Asked["type"][] = ["model.responded", "prompt.submitted"];

/** Looks back from a fact to where its call was asked for, and to the prompt of its run. */
export async function callBehind(log: EventLog, fact: Fact, step?: Step): Promise<CallBehind | null> {
  const { callId = null } = upcast(fact).data as { readonly callId?: string | null };
  if (callId === null && step === undefined) return null;
  const paths = step === undefined ? [] : [...step.writes.map(({ path }) => path), ...step.madeDirs];
  const found = {
    callId,
    tool: null,
    args: null,
    prompt: null,
    promptVersion: null,
    paths: [...new Set(paths)],
  };
  let call: Pick<CallBehind, "tool" | "args"> = found;
  const facts = historyOf(log, fact.stream, { to: fact.version, types: asked, backwards: true });
  for await (const earlier of facts) {
    const { type, data, version } = upcast(earlier) as Asked;
    if (type === "prompt.submitted")
      return { ...found, ...call, prompt: textOf(data.content), promptVersion: version };
    const made = data.calls.find(({ callId: id }) => id === callId);
    if (made !== undefined) call = { tool: made.name, args: made.args };
  }
  return { ...found, ...call };
}

function textOf(content: FactData<"prompt.submitted">["content"]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
