// Hides values of environment variables in what a command printed.

/** Whether the command is there to print the environment: then every value is hidden, not only those with telling names. */
export function isDump(command: string): boolean {
  return /(^|[;&|(]\s*|\bsudo\s+)(env|printenv|set|export\s+-p|declare\s+-[px]+)\s*($|[;&|)>\n])|\/proc\/\S*\/environ/m.test(
    command,
  );
}

const telling = /(KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|PRIVATE)/i;

/** The text with values after `NAME=` hidden. */
export function hideVariables(text: string, all: boolean): string {
  return text.replaceAll(
    /^((?:declare -x |export )?)([A-Za-z_]\w*)=(.+)$/gm,
    (line, before: string, name: string) => (all || telling.test(name) ? `${before}${name}=[hidden]` : line),
  );
}
