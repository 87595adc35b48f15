import type { JsonObject } from '../entry.ts';
import { type Context, transaction } from '../../context.ts';
import { Problem } from '../../problem.ts';
import { recordId } from '../../store/record-id.ts';

/** Why a node signs nothing: no checkpoint, no cosignature, no access list. Entries are still recorded; see docs/pool.md. */
export const stopKinds = {
  'rolled-back': 'This ledger has fewer entries than this node has signed. An older copy of the store is in use.',
  rewritten: 'This ledger differs from the one that this node has signed. Another copy of the store was in use.',
  cloned: 'Another process signs with the key of this node. A copy of the node is running.',
} as const;

export type StopKind = keyof typeof stopKinds;

export interface Stop {
  readonly kind: StopKind;
  readonly details: JsonObject;
  /** milliseconds since 1970 */
  readonly noticedAt: number;
}

/** The reasons why this node signs nothing, oldest first; none: it signs. */
export async function stopsOf({ db }: Pick<Context, 'db'>): Promise<Stop[]> {
  const rows = await db
    .selectFrom('ledger_stops')
    .selectAll()
    .where('recovered_at', 'is', null)
    .orderBy('noticed_at')
    .orderBy('id')
    .execute();
  return rows.map(({ kind, details, noticed_at: noticedAt }) => {
    return { kind: kind as StopKind, details: JSON.parse(details) as JsonObject, noticedAt };
  });
}

/** Stops signing until an operator recovers the node. A kind that is known already changes nothing. */
export async function stopSigning(ctx: Context, kind: StopKind, details: JsonObject): Promise<void> {
  const isNew = await transaction(ctx, async (tx) => {
    if ((await stopsOf(tx)).some((stop) => stop.kind === kind)) return false;
    const now = tx.clock.now();
    await tx.db
      .insertInto('ledger_stops')
      .values({
        id: recordId(now, tx.random),
        kind,
        details: JSON.stringify(details),
        noticed_at: now,
        recovered_at: null,
      })
      .execute();
    return true;
  });
  if (isNew)
    ctx.log.error(`${stopKinds[kind]} This node signs nothing now. Run: conclave node recover`, { ...details });
}

/**
 * The check before everything that the node signs for others. Call it in the transaction, too, that stores what is signed.
 *
 * @throws Problem conflict NODE_STOPPED
 */
export async function assertSigning(ctx: Pick<Context, 'db'>): Promise<void> {
  const [stop] = await stopsOf(ctx);
  if (stop === undefined) return;
  throw new Problem(
    'conflict',
    'NODE_STOPPED',
    `${stopKinds[stop.kind]} This node signs nothing until its operator runs: conclave node recover`,
  );
}

/** A stop as operations show it. */
export function stopDto({ kind, details, noticedAt }: Stop) {
  const toldBy = typeof details['toldBy'] === 'string' ? details['toldBy'] : '';
  return { kind, what: stopKinds[kind], toldBy, noticedAt: new Date(noticedAt).toISOString() };
}
