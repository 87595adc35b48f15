import type { Context } from '../../service/context.ts';
import { canonicalJsonBytes } from '../../crypto/canonical-json.ts';
import { commitmentOf, ledgerTag, partEntry, type NewLedgerEntry } from '../../crypto/formats/ledger/entry.ts';
import { readHead } from './head.ts';
import { logKeyOf } from '../../crypto/formats/ledger/log-key.ts';
import { integrateBefore, integrateWaiting } from './sequencer.ts';
import { storeWaiting, type WaitingEntry } from './waiting.ts';

/**
 * Records an entry in the transaction of the recorded action, so that either both are stored or neither is. On PostgreSQL the entry waits
 * for its place, because transactions that all change the head of the ledger would wait for each other. It has its place some milliseconds
 * after the commit. On the embedded engine transactions run one after another anyway, so it has its place at once.
 *
 * @param tx the context of a running transaction
 * @returns the id of the entry; `placesOf` tells its place. Later entries of this process have greater ids.
 * @throws Problem internal LEDGER_DAMAGED when the head is known to be changed by another program
 */
export async function appendEntry(tx: Context, entry: NewLedgerEntry): Promise<string> {
  if (tx.db === tx.store.db) throw new Error('an entry of the ledger joins a transaction');
  // An undeclared type is a programming error; it fails at its first entry.
  if (!tx.ledgerTypes.has(entry.type)) throw new Error(`no service records ${entry.type} in the ledger`);
  const waiting = waitingEntry(tx, entry);
  if (tx.store.engine === 'sqljs') {
    const end = await integrateBefore(tx, waiting);
    tx.afterCommit(() => tx.ledger.grew(end));
    return waiting.id;
  }
  if (!tx.ledger.sound) {
    await readHead(tx, logKeyOf(tx.keys));
    tx.ledger.sound = true;
  }
  await storeWaiting(tx, waiting);
  tx.afterCommit(() => tx.ledger.soon(async () => await integrateWaiting(tx)));
  return waiting.id;
}

/** An entry as it waits for its place. @throws RangeError when it would have more than 16,384 bytes */
export function waitingEntry(tx: Context, { type, data, tags, details }: NewLedgerEntry): WaitingEntry {
  const now = tx.clock.now();
  const opening = details === undefined ? undefined : { salt: tx.random(32), details: canonicalJsonBytes(details) };
  const entry = partEntry({
    v: 1,
    type,
    time: new Date(now).toISOString(),
    ...(data !== undefined && { data }),
    ...(tags !== undefined && { tags: tagged(tx, tags) }),
    ...(opening !== undefined && { commit: commitmentOf(opening.salt, opening.details) }),
  });
  return { id: tx.ledger.entryId(now, tx.random), entry, opening };
}

function tagged({ keys }: Context, tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tags).map(([name, value]) => [name, ledgerTag(keys.ledgerTag, name, value)]),
  );
}
