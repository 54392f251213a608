/** Every measure, in the order of the table. Each is loaded in a process of its own. */
export const measures = {
  append: () => import("./measures/append.mjs"),
  "many-streams": () => import("./measures/many-streams.mjs"),
  growth: () => import("./measures/growth.mjs"),
  views: () => import("./measures/views.mjs"),
  replay: () => import("./measures/replay.mjs"),
  inspector: () => import("./measures/inspector.mjs"),
  resume: () => import("./measures/resume.mjs"),
  supervision: () => import("./measures/supervision.mjs"),
  turn: () => import("./measures/turn.mjs"),
  "side-query": () => import("./measures/side-query.mjs"),
  idle: () => import("./measures/idle.mjs"),
  extensions: () => import("./measures/extensions.mjs"),
  scan: () => import("./measures/scan.mjs"),
  background: () => import("./measures/background.mjs"),
  agent: () => import("./measures/agent.mjs"),
  "start-up": () => import("./measures/start-up.mjs"),
};
