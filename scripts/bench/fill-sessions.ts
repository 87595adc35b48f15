import { createHash } from 'node:crypto';
import { openDatabase } from '../../src/store/open.ts';
import type { SessionRow } from '../../src/store/tables/tables.ts';

/** As many rows as one statement takes. */
const BATCH = 500;

/** Adds sessions of the store's first member until there are `count`. Nobody has their tokens. */
export async function fillSessions(dataDir: string, count: number): Promise<void> {
  await using database = await openDatabase({ dataDir, command: 'a benchmark' });
  const { id: memberId } = await database.db.selectFrom('members').select('id').limit(1).executeTakeFirstOrThrow();
  const { rows } = await database.db
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  const now = Date.now();
  for (let first = rows; first < count; first += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - first) }, (_, i) =>
      sessionRow(memberId, first + i, now),
    );
    await database.transaction(async (db) => void (await db.insertInto('sessions').values(batch).execute()));
  }
}

function sessionRow(memberId: string, number: number, now: number): SessionRow {
  const digest = createHash('sha256').update(`session ${number}`).digest('hex');
  return {
    id: digest.slice(0, 32),
    member_id: memberId,
    jti_hash: digest,
    sealed_key: null,
    created_at: now,
    last_used_at: now,
    expires_at: now + 7 * 86_400_000,
    user_agent: 'benchmark',
  };
}
