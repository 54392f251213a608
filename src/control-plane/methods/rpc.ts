/** `rpc.*` */
import { z } from "zod";
import { defineMethod, type Method } from "../method.ts";
import { openRpcDocument } from "../openrpc.ts";

/** `rpc.discover` over a table of methods, itself among them. */
export function discovering(methods: readonly Method[]): readonly Method[] {
  const discover: Method = defineMethod({
    name: "rpc.discover",
    scope: "read",
    summary: "Describes all methods as an OpenRPC document.",
    params: z.object({}),
    result: z.record(z.string(), z.unknown()).describe("an OpenRPC document"),
    run: () => Promise.resolve(openRpcDocument(all)),
  });
  const all: readonly Method[] = [...methods, discover];
  return all;
}
