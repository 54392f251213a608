import { describeEventLog } from "../contract/event-log.ts";
import { openForTest, temporaryFile } from "./support/facts.ts";

describeEventLog("SQLite in a file", (now) => openForTest(temporaryFile(), { now, durability: "relaxed" }));
describeEventLog("SQLite in memory", (now) => openForTest(":memory:", { now }));
