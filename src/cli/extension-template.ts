/** The files of a new extension. */

/** The texts by file name, for an extension `name` that is written for this version of lemon-runtime. */
export function extensionFiles(name: string, version: string): Readonly<Record<string, string>> {
  const tool = `${name.replaceAll("-", "_")}_greet`;
  return {
    "index.ts": code(name, tool),
    "index.test.ts": test(tool),
    "lemon_extension.json": json({
      schema_version: 1,
      name,
      version: "0.1.0",
      capabilities: ["tools"],
      host: { type: "node" },
      distribution: { source: "local" },
    }),
    "package.json": json({
      name,
      version: "0.1.0",
      private: true,
      type: "module",
      lemon: { extension: "index.ts" },
      scripts: { test: "vitest run", types: "tsc", validate: "lemon extension validate ." },
      devDependencies: {
        "@types/node": "^20.19.43",
        "lemon-runtime": `^${version}`,
        typescript: "^6.0.3",
        vitest: "^4.1.12",
      },
    }),
    "tsconfig.json": json({
      compilerOptions: {
        target: "es2023",
        module: "nodenext",
        strict: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        types: ["node"],
      },
    }),
    "README.md": readme(name, tool),
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function code(name: string, tool: string): string {
  return `import { defineExtension, defineTool, z } from "lemon-runtime";

export default defineExtension({
  name: "${name}",
  version: "0.1.0",
  capabilities: ["tools"],
  tools: () => [
    defineTool({
      name: "${tool}",
      label: "Greet",
      // The model decides by these words whether to call the tool, and with what.
      description: "Greets a person by name.",
      parameters: z.object({ name: z.string().min(1).describe("Who is greeted") }),
      parallelSafe: true,
      execute: async (_toolCallId, { name }) => ({
        content: [{ type: "text", text: \`Hello, \${name}!\` }],
      }),
    }),
  ],
});
`;
}

function test(tool: string): string {
  return `import { testExtension } from "lemon-runtime/testing";
import { expect, test } from "vitest";
import extension from "./index.ts";

test("greets a person by name", async () => {
  const kit = await testExtension(extension);
  try {
    const result = await kit.callTool("${tool}", { name: "Ada" });
    expect(result.content[0]).toEqual({ type: "text", text: "Hello, Ada!" });
  } finally {
    await kit.close();
  }
});
`;
}

function readme(name: string, tool: string): string {
  return `# ${name}

An extension for lemon-runtime. It adds the tool \`${tool}\`.

\`\`\`sh
npm install --save-dev CLONE      # the folder of a built clone of lemon-runtime, until a registry has it
npm test                          # runs index.test.ts
npm run types                     # checks the types, as your editor does
npm run validate                  # checks lemon_extension.json, runs nothing
lemon run --extension . "Greet Ada"
\`\`\`

To load it in every session, put this folder among your extensions, and name the folder that holds them in
\`~/.lemon/config.toml\`:

\`\`\`toml
[runtime]
extension_paths = ["~/my-extensions"]   # holds ${name}/ and others
\`\`\`

| file | what it is |
|---|---|
| \`index.ts\` | the extension: its default export |
| \`index.test.ts\` | its tests; never loaded as an extension |
| \`lemon_extension.json\` | what the package says of itself; read, never run |
| \`tsconfig.json\` | how types are checked |
`;
}
