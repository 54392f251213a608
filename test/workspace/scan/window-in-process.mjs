/** Opens a window, says so, and closes it when it is told to. Arguments: cache, root, marker. */
import { once } from "node:events";
import { openWorkspaceScanner } from "../../../dist/workspace/index.js";

const [cacheFile, root, marker] = process.argv.slice(2);
const scanner = openWorkspaceScanner({ cacheFile });
const window = await scanner.open(root, marker);
process.send("open");
await once(process, "message");
process.send(await window.close());
await scanner.close();
process.disconnect();
