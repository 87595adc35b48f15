import { sql } from 'kysely';
import type { Database, Db } from '../../store/database.ts';
import { recordTime } from '../../store/record-id.ts';
import type { OutboxMessageRow, OutboxQueueRow } from '../../store/tables/outbox.ts';
import type { OutboxLimits } from './limits.ts';
import type { SettledMessage } from '../../../service/ports/outbox.ts';

/** A queue: the messages of a channel for a node. */
export interface QueueName {
  readonly nodeId: string;
  readonly channel: string;
}

export type WaitingMessage = OutboxMessageRow;

/** What may be sent of a queue. */
export interface Due {
  readonly messages: readonly WaitingMessage[];
  /** when the first is due, if messages wait and none may be sent now */
  readonly nextAt: number | undefined;
}

/**
 * The messages of a queue that are due: as many as fit into a request, in the order of sending. One that failed by itself waits for its own
 * time, and comes after those that never did.
 *
 * @param longestMs nothing waits longer, unless the clock was set back
 */
export async function dueMessages(
  db: Db,
  queue: QueueName,
  { messages, bytes }: OutboxLimits['batch'],
  { now, longestMs }: { readonly now: number; readonly longestMs: number },
): Promise<Due> {
  const first = await firstMessages(db, queue, messages).execute();
  const places: string[] = [];
  let total = 0;
  for (const { place, size, next_at: nextAt } of first) {
    if (nextAt > now && nextAt <= now + longestMs) continue;
    if (total >= bytes) break;
    total += size;
    places.push(place);
  }
  if (places.length === 0) return { messages: [], nextAt: first[0]?.next_at };
  const due = await db
    .selectFrom('outbox_messages')
    .selectAll()
    .where('place', 'in', places)
    .orderBy('next_at')
    .orderBy('place')
    .execute();
  return { messages: due, nextAt: undefined };
}

/** An index has them in this order, so however many wait, no more than these are read. */
export function firstMessages(db: Db, { nodeId, channel }: QueueName, most: number) {
  return db
    .selectFrom('outbox_messages')
    .select(['place', 'size', 'next_at'])
    .where('node_id', '=', nodeId)
    .where('channel', '=', channel)
    .orderBy('next_at')
    .orderBy('place')
    .limit(most);
}

/** Lets messages that failed by themselves wait. @param tries how often they did so by now */
export async function putOff(db: Db, places: readonly string[], tries: number, nextAt: number): Promise<void> {
  await db.updateTable('outbox_messages').set({ tries, next_at: nextAt }).where('place', 'in', places).execute();
}

export interface WaitingOfChannel {
  readonly channel: string;
  readonly messages: number;
  /** when the oldest was added, in milliseconds since 1970 */
  readonly since: number;
}

/** An index has all that this reads, so it stays quick when the bodies are large. */
export async function waitingByChannel(db: Db): Promise<WaitingOfChannel[]> {
  const rows = await db
    .selectFrom('outbox_messages')
    .select(['channel', (e) => e.fn.countAll<number>().as('messages'), (e) => e.fn.min<string>('place').as('oldest')])
    .groupBy('channel')
    .orderBy('channel')
    .execute();
  return rows.map(({ channel, messages, oldest }) => ({ channel, messages, since: recordTime(oldest) }));
}

/** Notes that messages leave this node, before they do, in a transaction. Returns those that are still in the outbox. */
export async function markSent(
  db: Db,
  places: readonly string[],
  now: number,
): Promise<Pick<WaitingMessage, 'place' | 'id'>[]> {
  return await db
    .updateTable('outbox_messages')
    .set({ sent_at: now })
    .where('place', 'in', places)
    .where('sent_at', 'is', null)
    .returning(['place', 'id'])
    .execute();
}

/**
 * Takes messages out of the outbox, and returns the places of those that were still in it.
 * @param unsent only those that have not left this node
 */
export async function takeOut(db: Db, places: readonly string[], unsent = false): Promise<Set<string>> {
  let query = db.deleteFrom('outbox_messages').where('place', 'in', places);
  if (unsent) query = query.where('sent_at', 'is', null);
  const rows = await query.returning('place').execute();
  return new Set(rows.map(({ place }) => place));
}

export async function addOutcomes(db: Db, settled: readonly SettledMessage[], now: number): Promise<void> {
  if (settled.length === 0) return;
  await db
    .insertInto('outbox_outcomes')
    .values(
      settled.map(({ nodeId, channel, id, result, receipt }) => ({
        node_id: nodeId,
        channel,
        id,
        outcome: JSON.stringify(result),
        receipt: receipt ?? null,
        settled_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['node_id', 'channel', 'id']).doUpdateSet((e) => ({
        outcome: e.ref('excluded.outcome'),
        receipt: e.ref('excluded.receipt'),
        settled_at: e.ref('excluded.settled_at'),
      })),
    )
    .execute();
}

/** Messages that nobody asks about any more: expired ones that never left, and others after the margin. */
export async function expiredMessages(
  db: Db,
  now: number,
  {
    marginMs,
    most,
    after,
  }: { readonly marginMs: number; readonly most: number; readonly after: WaitingMessage | undefined },
): Promise<WaitingMessage[]> {
  let query = db.selectFrom('outbox_messages').selectAll();
  if (after !== undefined)
    query = query
      .where('expires_at', '>=', after.expires_at)
      .where((e) => e.or([e('expires_at', '>', after.expires_at), e('place', '>', after.place)]));
  return await query
    .where('expires_at', '<=', now)
    .where((e) => e.or([e('sent_at', 'is', null), e('expires_at', '<=', now - marginMs)]))
    .orderBy('expires_at')
    .orderBy('place')
    .limit(most)
    .execute();
}

/** All queues with messages, and what is known of earlier attempts. */
export async function listQueues(db: Db): Promise<(QueueName & { attempts: number; nextAt: number })[]> {
  const rows = await db
    .selectFrom('outbox_messages as m')
    .leftJoin('outbox_queues as q', (on) =>
      on.onRef('q.node_id', '=', 'm.node_id').onRef('q.channel', '=', 'm.channel'),
    )
    .select(['m.node_id', 'm.channel', 'q.attempts', 'q.next_at'])
    .distinct()
    .execute();
  return rows.map((row) => ({
    nodeId: row.node_id,
    channel: row.channel,
    attempts: row.attempts ?? 0,
    nextAt: row.next_at ?? 0,
  }));
}

export async function noteFailure(store: Database, row: OutboxQueueRow): Promise<void> {
  await store.transaction(
    async (db) =>
      await db
        .insertInto('outbox_queues')
        .values(row)
        .onConflict((conflict) => conflict.columns(['node_id', 'channel']).doUpdateSet(row))
        .execute(),
  );
}

export async function forgetFailure(store: Database, { nodeId, channel }: QueueName): Promise<void> {
  await store.transaction(
    async (db) =>
      await db.deleteFrom('outbox_queues').where('node_id', '=', nodeId).where('channel', '=', channel).execute(),
  );
}

/** Rows per transaction. */
const BATCH = 1_000;

/** Deletes outcomes that were kept long enough, answers that nobody may ask for any more, and notes on empty queues. */
export async function purgeOutbox(store: Database, now: number, outcomesMs: number): Promise<void> {
  await deleteInBatches(
    store,
    sql`delete from outbox_outcomes where (node_id, channel, id) in
      (select node_id, channel, id from outbox_outcomes where settled_at < ${now - outcomesMs} limit ${BATCH})`,
  );
  await deleteInBatches(
    store,
    sql`delete from inbox_messages where (node_id, channel, id) in
      (select node_id, channel, id from inbox_messages where keep_until < ${now} limit ${BATCH})`,
  );
  await store.transaction(
    async (db) =>
      await sql`delete from outbox_queues where not exists (select 1 from outbox_messages m
        where m.node_id = outbox_queues.node_id and m.channel = outbox_queues.channel)`.execute(db),
  );
}

async function deleteInBatches(store: Database, statement: ReturnType<typeof sql>): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await store.transaction(async (db) => await statement.execute(db));
    if (numAffectedRows < BATCH) return;
  }
}
