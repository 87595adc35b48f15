import { transaction, type Context } from '../../../service/context.ts';
import type { ReceivedMessage } from '../../../service/ports/outbox.ts';
import { Problem } from '../../../base/problem.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import { savepoint } from '../../../platform/store/savepoint.ts';
import type { MailArrivalRow } from '../../../platform/store/tables/mail.ts';
import { withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import { acceptOffer, refusalOfAll, type Accepted } from './accept.ts';
import { sendReceipts } from './receipts.ts';
import type { Outcome } from './wire.ts';

/** Offers that one transaction answers. */
const AT_ONCE = 32;
/** Of them, so many are fetched and read at the same time. */
const TOGETHER = 4;
/** A sender that can't be reached is asked again after this time, and later after longer. */
const LEAST_PAUSE = 5_000;
const MOST_PAUSE = 3_600_000;

/**
 * Notes an offer, in the transaction that acknowledges it to the outbox of its sender. Reading it takes long, so a job does it. A second
 * offer with the same id is the same offer.
 */
export async function noteOffer(tx: Context, { nodeId, id, body, expiresAt }: ReceivedMessage): Promise<void> {
  const now = tx.clock.now();
  await tx.db
    .insertInto('mail_arrivals')
    .values({
      node_id: nodeId,
      offer_id: id,
      offer: JSON.stringify(body),
      outcome: null,
      expires_at: expiresAt,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['node_id', 'offer_id']).doNothing())
    .execute();
  await planArrivals(tx, nodeId, now);
}

async function planArrivals(tx: Context, nodeId: string, runAt: number): Promise<void> {
  const job = { id: `mail-arrivals/${nodeId}`, kind: 'mail-arrivals', payload: { nodeId } };
  await planJob(tx.db, { ...job, runAt, now: tx.clock.now() });
}

/** Reads what a node offered, and puts it into mailboxes. */
export async function arrivalsHandler(ctx: Context): Promise<JobHandler> {
  return async (payload, { attempt, signal, finish }) => {
    const { nodeId } = payload as { readonly nodeId: string };
    const later = new Set<string>();
    for (;;) {
      const rows = await waitingOf(ctx, nodeId, later);
      if (rows.length === 0) break;
      for (const id of await takeArrivals(ctx, nodeId, rows, signal)) later.add(id);
    }
    await transaction(ctx, async (tx) => {
      // What came meanwhile has planned the job again, and that stays: its end has no effect then.
      await finish(tx.db);
      if (later.size === 0) return;
      const pause = Math.min(MOST_PAUSE, LEAST_PAUSE * 2 ** Math.min(attempt - 1, 20));
      await planArrivals(tx, nodeId, tx.clock.now() + pause);
    });
  };
}

async function waitingOf(ctx: Context, nodeId: string, without: ReadonlySet<string>): Promise<MailArrivalRow[]> {
  const rows = await ctx.db
    .selectFrom('mail_arrivals')
    .selectAll()
    .where('node_id', '=', nodeId)
    .where('outcome', 'is', null)
    .orderBy('created_at')
    .orderBy('offer_id')
    .limit(AT_ONCE + without.size)
    .execute();
  return rows.filter(({ offer_id: id }) => !without.has(id)).slice(0, AT_ONCE);
}

/** @returns the ids of those that have to wait */
async function takeArrivals(
  ctx: Context,
  nodeId: string,
  rows: readonly MailArrivalRow[],
  signal: AbortSignal,
): Promise<string[]> {
  const later: string[] = [];
  const accepted: Read[] = [];
  const rest = [...rows];
  const work = async (): Promise<void> => {
    for (let row = rest.shift(); row !== undefined; row = rest.shift()) {
      try {
        accepted.push([row, await acceptOffer(ctx, row, signal)]);
      } catch (error) {
        if (signal.aborted) throw error;
        ctx.log.info('an offer of mail waits', { error, nodeId, offerId: row.offer_id });
        later.push(row.offer_id);
      }
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, work));
  const kept = new Set<string>();
  try {
    later.push(...(await answered(ctx, nodeId, accepted, { kept, signal })));
  } finally {
    await withdrawBlocks(
      ctx,
      accepted.flatMap(([, { files }]) => files).filter((id) => !kept.has(id)),
    );
  }
  return later;
}

type Read = readonly [MailArrivalRow, Accepted];

interface Answering {
  /** block files that are referred to now; those of the answered offers are added */
  readonly kept: Set<string>;
  readonly signal: AbortSignal;
}

/**
 * Answers offers in one transaction. If that fails, each has its own: one that always fails must not hold up the others, and comes again
 * until it expires.
 * @returns the ids of those that failed alone
 */
async function answered(
  ctx: Context,
  nodeId: string,
  offers: readonly Read[],
  { kept, signal }: Answering,
): Promise<string[]> {
  if (offers.length === 0) return [];
  try {
    for (const id of await answerTogether(ctx, nodeId, offers, kept)) kept.add(id);
    return [];
  } catch (error) {
    if (signal.aborted) throw error;
    const [[row], ...others] = offers as readonly [Read, ...Read[]];
    const offerId = row.offer_id;
    if (others.length === 0) {
      ctx.log.error('an offer of mail could not be taken; it comes again', { error, nodeId, offerId });
      return [offerId];
    }
    ctx.log.warn('offers of mail are taken one by one, because one of them failed', { error, nodeId });
    const failed: string[] = [];
    for (const one of offers) failed.push(...(await answered(ctx, nodeId, [one], { kept, signal })));
    return failed;
  }
}

/** The copies, the rows that say so, and the receipt are one commit. @returns the block files that it refers to */
async function answerTogether(
  ctx: Context,
  nodeId: string,
  offers: readonly Read[],
  before: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  return await transaction(ctx, async (tx) => {
    const kept = new Set(before);
    await lockMembers(
      tx,
      offers.flatMap(([, { memberIds }]) => memberIds),
    );
    const receipts: { offerId: string; outcomes: Outcome[] }[] = [];
    for (const [row, one] of offers) {
      const outcomes = await settled(tx, row, one, kept);
      if (outcomes !== undefined) receipts.push({ offerId: row.offer_id, outcomes });
    }
    if (receipts.length > 0) await sendReceipts(tx, nodeId, receipts);
    return kept;
  });
}

/** What became of an offer, in a transaction. @returns undefined if it was settled before */
async function settled(
  tx: Context,
  { node_id, offer_id }: MailArrivalRow,
  accepted: Accepted,
  kept: Set<string>,
): Promise<Outcome[] | undefined> {
  const open = await tx.db
    .updateTable('mail_arrivals')
    .set({ outcome: '[]', offer: '' })
    .where('node_id', '=', node_id)
    .where('offer_id', '=', offer_id)
    .where('outcome', 'is', null)
    .returning('offer_id')
    .executeTakeFirst();
  if (open === undefined) return undefined;
  let outcomes: Outcome[];
  try {
    outcomes = await savepoint(tx.db, async () => await accepted.deliver(tx, kept));
  } catch (error) {
    if (!(error instanceof Problem) || error.kind === 'unavailable') throw error;
    tx.log.error('a message of another node was refused', { error, nodeId: node_id, offerId: offer_id });
    outcomes = refusalOfAll(accepted.recipients, { code: 'HANDLING_FAILED', reason: 'The node could not handle it.' });
  }
  await tx.db
    .updateTable('mail_arrivals')
    .set({ outcome: JSON.stringify(outcomes) })
    .where('node_id', '=', node_id)
    .where('offer_id', '=', offer_id)
    .execute();
  return outcomes;
}
