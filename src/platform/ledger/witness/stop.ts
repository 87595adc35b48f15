import type { JsonObject } from '../../../crypto/formats/ledger/entry.ts';
import { type Context, transaction } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
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

/**
 * The reasons why this node signs nothing, oldest first; none: it signs. What is about a log that a recovery ended was noticed while that
 * recovery went on, and is settled by it.
 */
export async function stopsOf(ctx: Pick<Context, 'db'>): Promise<Stop[]> {
  const rows = await ctx.db
    .selectFrom('ledger_stops')
    .selectAll()
    .where('recovered_at', 'is', null)
    .orderBy('noticed_at')
    .orderBy('id')
    .execute();
  const stops: Stop[] = [];
  for (const { kind, details: text, noticed_at: noticedAt } of rows) {
    const details = JSON.parse(text) as JsonObject;
    const { origin } = details;
    const isSettled = typeof origin === 'string' && (await wasGivenUp(ctx, origin));
    if (!isSettled) stops.push({ kind: kind as StopKind, details, noticedAt });
  }
  return stops;
}

/**
 * Stops signing until an operator recovers the node. What is known already changes nothing, unless it tells of more.
 * @param details with the log that it is about, as `origin`: a recovery that ended this log while it was compared has settled it
 */
export async function stopSigning(
  ctx: Context,
  kind: StopKind,
  details: JsonObject & { readonly origin: string },
): Promise<void> {
  const isNew = await transaction(ctx, async (tx) => {
    if (await wasGivenUp(tx, details.origin)) return false;
    const known = (await stopsOf(tx)).find((stop) => stop.kind === kind || isSameRollback(stop, kind, details));
    if (known !== undefined) {
      if (tellsOfMore(details, known.details))
        await tx.db
          .updateTable('ledger_stops')
          .set({ details: JSON.stringify({ ...known.details, ...details, entries: known.details['entries'] ?? 0 }) })
          .where('kind', '=', known.kind)
          .where('recovered_at', 'is', null)
          .execute();
      return false;
    }
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

/** Whether a recovery ended a log. */
export async function wasGivenUp({ db }: Pick<Context, 'db'>, origin: string): Promise<boolean> {
  const row = await db
    .selectFrom('ledger_recoveries')
    .select('new_origin')
    .where('old_origin', '=', origin)
    .executeTakeFirst();
  return row !== undefined;
}

/** A store that was put back goes on growing, beyond what was signed. It is not another copy because of that. */
function isSameRollback({ kind, details: known }: Stop, told: StopKind, { origin, size }: JsonObject): boolean {
  return (
    kind === 'rolled-back' && told === 'rewritten' && origin === known['origin'] && isLarger(size, known['entries'])
  );
}

/** A recovery names the largest head that is known. Otherwise it would leave out what other nodes have cosigned. */
function tellsOfMore({ origin, size }: JsonObject, known: JsonObject): boolean {
  return origin === known['origin'] && isLarger(size, known['size']);
}

function isLarger(one: unknown, other: unknown): boolean {
  return typeof one === 'number' && typeof other === 'number' && one > other;
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
