import type { z } from "zod";

/** The page: what stands above the mark is kept, all below it is made. */
export function factsPage(
  current: string,
  catalogue: Readonly<Record<string, object>>,
  schemas: Readonly<Record<string, z.ZodType>>,
): string;
