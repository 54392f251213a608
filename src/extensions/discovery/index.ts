/** Which extension files there are. Looks at names and at package.json; opens no extension file. */
export { type Discovery, discover, type ExtensionFile, scanRoot } from "./discover.ts";
export { type FoundModule, keepLast, type OverriddenModule } from "./keep-last.ts";
export {
  defaultFolders,
  resolveEntries,
  type SearchOptions,
  type SearchRoot,
  searchRoots,
  untrustedWarning,
} from "./roots.ts";
