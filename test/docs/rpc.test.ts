import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { rpcPage } from "../../scripts/docs/rpc.mjs";
import { methods } from "../../src/control-plane/index.ts";
import { openRpcDocument } from "../../src/control-plane/openrpc.ts";

const page = readFileSync(path.resolve(import.meta.dirname, "../../docs/reference/rpc.md"), "utf8");

test("the reference of methods is what their schemas say: run scripts/docs/rpc.mjs when this fails", () => {
  expect(page).toBe(rpcPage(page, openRpcDocument(methods)));
});
