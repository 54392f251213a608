/**
 * Which runs a process works on. `worker`: all that anybody may do. `library`: those that were given to it, and those that
 * a process like it left. `command`: none. docs/reference/background-runs.md, "Who works on a run"
 */
export type BackgroundRole = "worker" | "library" | "command";
