/** Which names can be extension files. docs/reference/manifests.md */

const SUFFIX = /\.(ts|mts|js|mjs)$/;

/** For messages. */
export const suffixWords = ".ts, .mts, .js or .mjs";

/** Whether a file of this name can be an extension file: by its suffix, and neither hidden, nor types, nor a test. */
export function isExtensionFileName(name: string): boolean {
  return !isPassedOver(name) && SUFFIX.test(name) && !/\.d\.m?ts$/.test(name) && !name.includes(".test.");
}

/** Names that are never entered or taken. */
export function isPassedOver(name: string): boolean {
  return name.startsWith(".") || name === "node_modules";
}

/**
 * The module id of a file: its path below its root, with `/` on every system and without the suffix. The index of a root
 * is called like the root, or two extensions that are each named by their own folder would have one id.
 *
 * @param rootName - name of the root's own folder
 */
export function moduleOf(relativePath: string, rootName: string): string {
  const module = relativePath.replace(SUFFIX, "");
  return module === "index" && rootName !== "" ? rootName : module;
}
