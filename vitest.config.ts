import { defineConfig } from "vitest/config";

/** The long forms of the tests run each property and each crash far more often. */
const timeout = process.env["LEMON_SOAK"] === undefined ? 30_000 : 900_000;

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/global-setup.ts",
    setupFiles: ["test/setup.ts"],
    testTimeout: timeout,
    hookTimeout: timeout,
    pool: "forks",
    maxWorkers: 2,
    typecheck: {
      enabled: true,
      include: ["test/types/**/*.test-d.ts"],
      tsconfig: "./tsconfig.test.json",
      // `npm run types` reports those.
      ignoreSourceErrors: true,
    },
  },
});
