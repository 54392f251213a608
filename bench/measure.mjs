/** Takes one measure and sends its figures to the parent: a process of its own, so that no measure warms up another. */
import { measures } from "./measures.mjs";

const { measure } = await measures[process.argv[2]]();
process.send(await measure());
process.disconnect();
