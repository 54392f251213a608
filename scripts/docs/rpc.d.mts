/** The page: what stands above the mark is kept, all below it is made from the OpenRPC document. */
export function rpcPage(current: string, document: Readonly<Record<string, unknown>>): string;
