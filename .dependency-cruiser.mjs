/**
 * Who may import whom. The table reads like a floor plan: a room may use the rooms on its line, and none above it.
 * docs/explanation/rooms.md says why; change both together, and never upwards.
 */

/** Open to every room. */
const ground = ["errors", "ports", "home"];

/** The rooms under the actors. */
const below =
  "events projections hooks supervision log secrets config workspace providers tools extensions harness".split(
    " ",
  );

/** `name:types` allows `import type` only. */
const rooms = {
  errors: [],
  ports: [],
  home: [],
  events: [],
  projections: ["events", "hooks"],
  hooks: ["events"],
  supervision: ["events"],
  log: ["events"],
  secrets: ["events"],
  config: [],
  workspace: ["events"],
  providers: ["events", "config", "secrets"],
  tools: ["events", "projections", "hooks", "secrets", "config", "workspace", "harness", "providers:types"],
  extensions: [
    "events",
    "hooks",
    "secrets:types",
    "supervision",
    "config",
    "workspace",
    "tools",
    "providers:types",
  ],
  harness: ["events", "projections", "workspace", "log"],
  actors: below,
  replay: ["events", "projections", "hooks", "log", "workspace", "harness", "actors"],
  loopback: [],
  runtime: [...below, "actors", "replay"],
  testing: ["events", "projections:types", "supervision", "providers", "extensions", "runtime"],
  "control-plane": ["runtime", "events:types", "log:types", "config", "secrets", "loopback"],
  inspector: ["events", "projections", "log", "harness", "replay", "loopback"],
  cli: [
    "events",
    "projections",
    "log",
    "config",
    "providers",
    "extensions",
    "harness",
    "replay",
    "runtime",
    "control-plane",
    "inspector",
  ],
};

const pure = ["events", "projections", "hooks", "secrets"];
/** What a machine decides with and other rooms decide with too. */
const sharedRules =
  "^src/(tools/(resolve|tool-source)|providers/ledger/[^/]+|extensions/discovery/keep-last)\\.ts$";
const pureFiles = [
  ...pure.map((room) => `^src/${room}/`),
  "^src/.*/machine\\.ts$",
  "^src/actors/session/(next-batch|run|observed|hook-messages)\\.ts$",
  sharedRules,
];

/** Runs in a browser. */
const page = "^src/inspector/page/";

/** A room is a folder, or one file such as `src/runtime.ts`. */
const within = (names) => `^src/(${names.join("|")})(/|\\.ts$)`;
const npm = (names) => `(^|node_modules/)(${names.join("|")})(/|$)`;

const layers = Object.entries(rooms).map(([room, uses]) => ({
  name: `room-${room}`,
  comment: `src/${room} may import ${[...ground, ...uses].join(", ")}`,
  severity: "error",
  from: { path: within([room]) },
  to: {
    path: "^src/",
    pathNot: within([room, ...ground, ...uses.map((use) => use.replace(":types", ""))]),
  },
}));

const typesOnly = Object.entries(rooms).flatMap(([room, uses]) => {
  const names = uses.filter((use) => use.endsWith(":types")).map((use) => use.replace(":types", ""));
  if (names.length === 0) return [];
  return [
    {
      name: `room-${room}-types-only`,
      comment: `src/${room} may import types, and no values, from ${names.join(", ")}`,
      severity: "error",
      from: { path: within([room]) },
      to: { path: within(names), dependencyTypesNot: ["type-only"] },
    },
  ];
});

export default {
  forbidden: [
    ...layers,
    ...typesOnly,
    {
      name: "known-room",
      comment: "Every file of src lives in a room of this table, or is the public face, src/index.ts",
      severity: "error",
      from: {},
      to: { path: "^src/", pathNot: [within(Object.keys(rooms)), "^src/index\\.ts$"] },
    },
    {
      name: "known-room-from",
      comment: "Every file of src lives in a room of this table, or is the public face, src/index.ts",
      severity: "error",
      from: { path: "^src/", pathNot: [within(Object.keys(rooms)), "^src/index\\.ts$"] },
      to: {},
    },
    {
      name: "public-face",
      comment: "Nothing inside imports the public face",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^src/index\\.ts$" },
    },
    {
      name: "by-the-door",
      comment: "A room is entered by its index.ts",
      severity: "error",
      from: { path: "^src/([^/]+)/", pathNot: "^src/replay/" },
      to: {
        path: "^src/[^/]+/",
        pathNot: ["^src/$1/", "^src/[^/]+/index\\.ts$", sharedRules, "^src/tools/for-authors\\.ts$"],
      },
    },
    {
      name: "shared-rules",
      comment: "Past the door only a machine comes, and only to a pure rule",
      severity: "error",
      from: { path: "^src/([^/]+)/", pathNot: "/machine\\.ts$" },
      to: { path: sharedRules, pathNot: "^src/$1/" },
    },
    {
      name: "by-the-door-from-above",
      comment: "A room is entered by its index.ts",
      severity: "error",
      from: { path: "^src/([^/]+)\\.ts$" },
      to: { path: "^src/[^/]+/", pathNot: ["^src/[^/]+/index\\.ts$", "^src/$1/"] },
    },
    {
      name: "replay-sees-deciders-only",
      comment:
        "Replay uses of the actors what decides: machines, cascade, feed, forks, requests, and the states that sessions stored; of other rooms the index.ts",
      severity: "error",
      from: { path: "^src/replay/" },
      to: {
        path: "^src/[^/]+/",
        pathNot: [
          "^src/replay/",
          "^src/actors/(cascade|feed|fork|session-states)\\.ts$",
          "^src/actors/[^/]+/(machine|actors|(summary-)?request)\\.ts$",
          "^src/(events|projections|hooks|log|workspace|harness)/index\\.ts$",
        ],
      },
    },
    {
      name: "no-cycle",
      comment: "No cycles, not even of types",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "pure-rooms",
      comment: "Pure rooms import no module of Node",
      severity: "error",
      from: { path: pureFiles },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "pure-rooms-packages",
      comment: "Pure rooms import no package but zod, and machines xstate",
      severity: "error",
      from: { path: pureFiles },
      to: {
        dependencyTypes: [
          "npm",
          "npm-dev",
          "npm-optional",
          "npm-peer",
          "npm-no-pkg",
          "npm-unknown",
          "unknown",
        ],
        pathNot: npm(["zod", "xstate"]),
      },
    },
    {
      name: "pure-machines",
      comment: "A machine imports of its own room only pure neighbours: no effects, no shell",
      severity: "error",
      from: { path: "^src/.*/machine\\.ts$" },
      to: { path: "^src/.*(effects|journaled|effect-runner|recovery|cascade)\\.ts$" },
    },
    {
      name: "xstate",
      comment: "xstate is used by machines, the cascade and the supervisors; others import its types at most",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: ["^src/.*/machine\\.ts$", "^src/actors/cascade\\.ts$", "^src/supervision/"],
      },
      to: { path: npm(["xstate"]), dependencyTypesNot: ["type-only"] },
    },
    {
      name: "declared-packages",
      comment:
        "src imports only what package.json lists under dependencies; the page has what it needs built into it",
      severity: "error",
      from: { path: "^src/", pathNot: page },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "page-packages",
      comment: "The page is bundled for a browser: it imports what is built into it, and nothing of Node",
      severity: "error",
      from: { path: page },
      to: {
        dependencyTypes: ["core", "npm", "npm-dev", "npm-optional", "npm-peer", "npm-no-pkg", "npm-unknown"],
        pathNot: npm(["preact", "uplot", "@tanstack/virtual-core"]),
      },
    },
    {
      name: "page-apart",
      comment:
        "The page has its own files; of the house it knows types only, since nothing else may be in its bundle",
      severity: "error",
      from: { path: page },
      to: { path: "^src/", pathNot: page, dependencyTypesNot: ["type-only"] },
    },
    {
      name: "page-is-a-leaf",
      comment: "No file outside the page imports of it",
      severity: "error",
      from: { path: "^src/", pathNot: page },
      to: { path: page },
    },
    {
      name: "src-stands-alone",
      comment: "src imports nothing of test, bench, examples or scripts",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|bench|examples|scripts)/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
