import path from "node:path";
import ts from "typescript";

/**
 * Every error code that src can give, with the classes that give it: from each `super(reason, …)` of a class and each
 * `new LemonError(reason, …)`. The compiler says which words a reason may be, so a union of words counts as all of them.
 */
export function errorCodesOf(root: string): Map<string, Set<string>> {
  const config = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const program = ts.createProgram(fileNames, { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const codes = new Map<string, Set<string>>();
  for (const file of program.getSourceFiles()) {
    if (fileNames.includes(file.fileName)) visit(file, undefined);
  }
  return codes;

  function visit(node: ts.Node, owner: string | undefined): void {
    const inside = ts.isClassDeclaration(node) && descendsFromLemonError(node) ? node.name?.text : owner;
    if (
      inside !== undefined &&
      ts.isCallExpression(node) &&
      node.expression.kind === ts.SyntaxKind.SuperKeyword
    ) {
      note(node.arguments[0], inside);
    }
    if (ts.isNewExpression(node) && node.expression.getText() === "LemonError")
      note(node.arguments?.[0], "LemonError");
    node.forEachChild((child) => visit(child, inside));
  }

  function note(reason: ts.Expression | undefined, owner: string): void {
    if (reason === undefined) return;
    const type = checker.getTypeAtLocation(reason);
    const words = (type.isUnion() ? type.types : [type]).flatMap((part) =>
      part.isStringLiteral() ? [part.value] : [],
    );
    if (words.length === 0) throw new Error(`${owner}: the reason ${reason.getText()} is not a known word`);
    for (const word of words) {
      const code = `LEMON_${word.toUpperCase()}`;
      codes.set(code, (codes.get(code) ?? new Set()).add(owner));
    }
  }

  /** Only direct children of `LemonError` give a reason; a grandchild inherits one, or passes words that are found there. */
  function descendsFromLemonError(node: ts.ClassDeclaration): boolean {
    return (node.heritageClauses ?? []).some((clause) =>
      clause.types.some((type) => type.expression.getText() === "LemonError"),
    );
  }
}
