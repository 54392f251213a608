/** A call as the facts of its session tell it, and how they change it. */
import type { FactData, SessionMode } from "../events/index.ts";

/** A call of the newest answer. */
export interface CallView {
  readonly callId: string;
  readonly name: string;
  readonly state: "queued" | "asking" | "running" | "ended";
  /** `null` when the text could not be parsed. */
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly masked: boolean;
  /** How many handlers of `onToolCall` there were when the model answered. */
  readonly hooks: number;
  /** How many handlers of `onToolResult`. */
  readonly resultHooks: number;
  /** Where the answers of `onToolCall` stand; `replaced`: `args` are theirs. `null` before. */
  readonly judged: {
    readonly version: number;
    readonly masked: boolean;
    readonly replaced: boolean;
  } | null;
  /** Kept only while hooks review it. */
  readonly returned: FactData<"tool_call.returned"> | null;
  /** Whose tool it calls. */
  readonly mode: SessionMode;
  /** Version of the `model.responded` that holds it. */
  readonly answeredAt: number;
  readonly process: FactData<"tool_call.process_started"> | null;
  /** What was kept of files before it changed them, oldest first. */
  readonly guards: readonly Pick<FactData<"checkpoint.created">, "checkpointId" | "files">[];
}

/** What has calls. */
interface Calls {
  readonly calls: Readonly<Record<string, CallView>>;
}

/** From here on the call has the arguments that hooks gave it. */
export function withArgs<View extends Calls>(
  view: View,
  { callId, args }: { readonly callId: string; readonly args: CallView["args"] },
): View {
  if (args === null) return view;
  return withCall(view, callId, (call) => ({
    ...call,
    args,
    judged: call.judged === null ? null : { ...call.judged, replaced: true },
  }));
}

/** The same with a call in another state. */
export function withState<View extends Calls>(view: View, callId: string, state: CallView["state"]): View {
  return withCall(view, callId, (call) => ({ ...call, state }));
}

/** The same with a call changed; a call that is not there changes nothing. */
export function withCall<View extends Calls>(
  view: View,
  callId: string,
  change: (call: CallView) => CallView,
): View {
  const call = view.calls[callId];
  return call === undefined ? view : { ...view, calls: { ...view.calls, [callId]: change(call) } };
}
