/** The log as someone with SQLite alone would look at it and change it. */
import path from "node:path";
import Database from "better-sqlite3";

/** A copy of the log in which the arguments of one call were changed, by someone who took its guards off. */
export async function tamperedCopy(home: string, folder: string): Promise<{ copy: string; version: number }> {
  const copy = path.join(folder, "tampered.db");
  const log = new Database(path.join(home, "log.db"), { readonly: true });
  await log.backup(copy);
  log.close();
  const db = new Database(copy);
  try {
    for (const name of db.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").pluck().all())
      db.exec(`DROP TRIGGER ${String(name)}`);
    const row = db
      .prepare("SELECT position, version, data FROM facts WHERE type = 'tool_call.requested' LIMIT 1")
      .get() as { position: number; version: number; data: string };
    const data = JSON.stringify({ ...(JSON.parse(row.data) as object), callId: "call_of_another" });
    db.prepare("UPDATE facts SET data = ? WHERE position = ?").run(data, row.position);
    return { copy, version: row.version };
  } finally {
    db.close();
  }
}

/** Whether a session has its stream, whoever leads it. */
export function isStored(home: string, session: string): boolean {
  const log = new Database(path.join(home, "log.db"), { readonly: true });
  try {
    return log.prepare("SELECT 1 FROM streams WHERE name LIKE ?").get(`%${session}`) !== undefined;
  } finally {
    log.close();
  }
}
