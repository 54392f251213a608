/** Stands for a name of the public face that makes no sense inside a worker. */

/**
 * A function that throws when it is called or constructed. It has a prototype, so `instanceof` answers `false` instead of
 * failing, and an import of the name links.
 */
export function unavailable(name: string): new (...args: never) => never {
  function refuse(): never {
    throw new Error(`${name} is not available inside an extension`);
  }
  Object.defineProperty(refuse, "name", { value: name });
  return refuse as unknown as new (...args: never) => never;
}
