import type { LedgerEnd } from '../../service/ports/ledger.ts';
import type { Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import { integrate } from './integrate.ts';
import { openWaiting, readWaiting, type StoredEntry, type WaitingEntry } from './waiting.ts';

/** Entries of one transaction. */
const batch = 500;
const first = Number.MIN_SAFE_INTEGER;

type Parts = Pick<Context, 'store' | 'db' | 'keys' | 'log' | 'ledger'>;
type Outside = Pick<Context, 'store' | 'keys' | 'log' | 'ledger'>;

/**
 * Gives all entries that wait their places, in the order in which they were stored. Each process does this for the entries of all; one after
 * another, because the lock of `inTurn` makes them wait. What was committed before the call has its place afterwards.
 *
 * @throws Problem internal LEDGER_DAMAGED when the head was changed by another program; the entries go on waiting
 */
export async function integrateWaiting(ctx: Outside): Promise<void> {
  const { store, ledger } = ctx;
  let after = first;
  while (after !== Number.POSITIVE_INFINITY) {
    const from = after;
    const done = await soundly(ctx, async () => await store.inTurn(async (db) => await step({ ...ctx, db }, from)));
    after = done.next;
    if (done.end !== undefined) ledger.grew(done.end);
  }
}

/** Remembers whether the head is sound. As long as it isn't, no entry is accepted. */
async function soundly<T>({ ledger }: Outside, body: () => Promise<T>): Promise<T> {
  try {
    const result = await body();
    ledger.sound = true;
    return result;
  } catch (error) {
    if (error instanceof Problem && error.code === 'LEDGER_DAMAGED') ledger.sound = false;
    throw error;
  }
}

/** One batch of waiting entries. `next` is where the following one begins, and infinite after the last. */
async function step(tx: Parts, after: number): Promise<{ readonly next: number; readonly end: LedgerEnd | undefined }> {
  const rows = await readWaiting(tx.db, { after, limit: batch });
  const end = await integrateRows(tx, rows);
  return { next: rows.length < batch ? Number.POSITIVE_INFINITY : (rows.at(-1)?.position ?? 0), end };
}

/**
 * Gives entries that wait in the store their places, before one of the running transaction. On the embedded engine none waits, unless the
 * store came from PostgreSQL.
 */
export async function integrateBefore(tx: Parts, entry: WaitingEntry): Promise<LedgerEnd> {
  for (let after = first; ;) {
    const rows = await readWaiting(tx.db, { after, limit: batch });
    if (rows.length === 0) return await integrate(tx, [entry]);
    await integrateRows(tx, rows);
    after = rows.at(-1)?.position ?? 0;
  }
}

async function integrateRows(tx: Parts, rows: readonly StoredEntry[]): Promise<LedgerEnd | undefined> {
  const taken: WaitingEntry[] = [];
  const positions: number[] = [];
  const seen = new Set<string>();
  for (const row of rows) {
    const entry = row.recorded > 0 || seen.has(row.id) ? undefined : openWaiting(tx.keys, row);
    if (entry === undefined) {
      refuse(tx, row.id);
      continue;
    }
    seen.add(row.id);
    taken.push(entry);
    positions.push(row.position);
  }
  const [one, ...others] = taken;
  if (one === undefined) return undefined;
  return await integrate(tx, [one, ...others], positions);
}

function refuse({ ledger, log }: Parts, id: string): void {
  if (ledger.refused.has(id)) return;
  ledger.refused.add(id);
  log.error('a waiting entry of the ledger is not as this node wrote it; it gets no place', { entry: id });
}
