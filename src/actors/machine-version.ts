/**
 * SHA-256 over the compiled machines, the cascade and the catalogue: what decides. The build puts the real value into
 * dist/, so a stored state is never handed to machines that would have decided otherwise.
 */
export const machineVersion: string = "unbuilt";
