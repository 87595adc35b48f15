import type { Database, Db } from '../store/database.ts';
import type { Envelope } from './envelope.ts';
import type { Kept } from './recent-index.ts';

/** Values per statement. SQLite allows 32,766 and PostgreSQL 65,535. */
const BATCH = 500;

/** An envelope and how long this node needs it. */
export interface EnvelopeRecord {
  readonly envelope: Envelope;
  /** it is kept for other nodes until then */
  readonly keptUntil: number;
  /** its id is remembered until then */
  readonly expiresAt: number;
}

/** Records the envelopes that are new: marks them as seen and keeps them for other nodes. Returns the ids of the new ones. */
export async function recordNew(db: Db, records: readonly EnvelopeRecord[]): Promise<Set<string>> {
  const fresh = new Set<string>();
  for (const part of parts(records)) {
    const added = await db
      .insertInto('gossip_envelopes')
      .values(
        part.map(({ envelope: { id, timestamp, bytes }, keptUntil, expiresAt }) => {
          return { id, timestamp, envelope: bytes, kept_until: keptUntil, expires_at: expiresAt };
        }),
      )
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .execute();
    for (const { id } of added) fresh.add(id);
  }
  return fresh;
}

/** The ids among these that were seen before. */
export async function seenOf(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const part of parts(ids)) {
    const rows = await db.selectFrom('gossip_envelopes').select('id').where('id', 'in', part).execute();
    for (const { id } of rows) found.add(id);
  }
  return found;
}

export async function listKept(db: Db): Promise<Kept[]> {
  const rows = await db
    .selectFrom('gossip_envelopes')
    .select(['id', 'timestamp', 'kept_until', (e) => e.fn<number>('length', ['envelope']).as('size')])
    .where('envelope', 'is not', null)
    .orderBy('timestamp')
    .execute();
  return rows.map(({ id, timestamp, kept_until: until, size }) => ({ id, timestamp, until, size }));
}

/** Kept envelopes in the order of their time: as many as fit into `maxBytes`, but at least one. */
export async function keptEnvelopes(db: Db, ids: readonly string[], maxBytes: number): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  let bytes = 0;
  for (const part of parts(ids, 64)) {
    const rows = await db
      .selectFrom('gossip_envelopes')
      .select('envelope')
      .where('id', 'in', part)
      .orderBy('timestamp')
      .execute();
    for (const { envelope } of rows) {
      if (envelope === null) continue;
      bytes += envelope.length;
      if (found.length > 0 && bytes > maxBytes) return found;
      found.push(new Uint8Array(envelope));
    }
  }
  return found;
}

/** Keeps these for other nodes no longer. Their ids are still remembered. */
export async function removeKept(database: Database, ids: readonly string[]): Promise<void> {
  for (const part of parts(ids)) {
    await database.transaction(
      async (db) => await db.updateTable('gossip_envelopes').set({ envelope: null }).where('id', 'in', part).execute(),
    );
  }
}

/** Deletes the ids of envelopes that are now too old to be accepted. */
export async function purgeSeen(database: Database, nowMs: number): Promise<number> {
  for (let total = 0; ;) {
    const { numDeletedRows } = await database.transaction(
      async (db) =>
        await db
          .deleteFrom('gossip_envelopes')
          .where('id', 'in', (e) =>
            e.selectFrom('gossip_envelopes').select('id').where('expires_at', '<', nowMs).limit(BATCH),
          )
          .executeTakeFirstOrThrow(),
    );
    total += Number(numDeletedRows);
    if (numDeletedRows < BATCH) return total;
  }
}

export async function readAddresses(db: Db): Promise<Uint8Array[]> {
  const rows = await db.selectFrom('gossip_addresses').select('envelope').execute();
  return rows.map(({ envelope }) => new Uint8Array(envelope));
}

export async function writeAddresses(database: Database, { nodeId, timestamp, bytes }: Envelope): Promise<void> {
  const row = { node_id: nodeId, timestamp, envelope: bytes };
  await database.transaction(
    async (db) =>
      await db
        .insertInto('gossip_addresses')
        .values(row)
        .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ timestamp, envelope: bytes }))
        .execute(),
  );
}

function* parts<T>(items: readonly T[], size = BATCH): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
