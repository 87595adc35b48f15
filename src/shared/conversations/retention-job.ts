import { transaction, type Context } from '../../service/context.ts';
import { apart } from '../../service/sweep.ts';
import type { JobHandler } from '../../platform/store/jobs/jobs.ts';
import { repeatJob } from '../../platform/store/jobs/plans.ts';
import type { ConversationMessageRow, ConversationRow } from '../../platform/store/tables/conversations.ts';
import { onlyRow, writtenQuery } from '../../platform/store/written-query.ts';
import { eraseEpochsBelow, eraseWrapsBelow } from '../group-keys/erase.ts';
import { heldEpoch, openRoomKeys } from '../group-keys/keys.ts';
import { freeStorageOf } from '../members/storage.ts';
import { releaseAttachments } from './attachments/references.ts';
import { isClientMode, roomOf } from './conversation.ts';
import { tell } from './events.ts';
import { moveSpaceKey, unindexMessage } from './indexing.ts';
import { keepingValues, keptMs } from './retention.ts';
import { forgetErasedThreads } from './threads/places.ts';

const retentionKind = 'chat-retention';

const EVERY_MS = 600_000;

/** Messages of one transaction. Other writers wait for it. */
const TOGETHER = 200;
/** Conversations that one look finds. */
const FOUND = 100;

/** Whoever read a row a moment ago still finds its key. It is not shown any more all the same. */
const GRACE_MS = 60_000;

const isDue = '((c.retention_ms is not null and m.created_at <= $1 - c.retention_ms) or m.created_at <= $2)';
const dueAmong = (which: string) =>
  writtenQuery<{ id: string }>(`
    select c.id from conversations c
    join conversation_messages m on m.conversation_id = c.id and m.seq = c.erased_seq + 1
    where ${isDue} and c.id > $3 ${which} order by c.id limit ${FOUND}`);
const dueOfAll = dueAmong('');
const dueOfSome = dueAmong('and c.retention_ms is not null');

/** Every process may plan it at any time. */
export async function planRetention({ store, clock }: Context): Promise<void> {
  const job = { id: retentionKind, kind: retentionKind, payload: null, schedule: { everyMs: EVERY_MS } };
  await store.transaction(async (db) => await repeatJob(db, { ...job, now: clock.now() }));
}

/**
 * Erases messages whose time is over, some in each transaction. What is erased is counted, so it goes on where it stopped. One conversation that
 * fails stops no other.
 */
export function retentionHandler(ctx: Context): JobHandler {
  return async (_, { signal }) => {
    const failures = apart(ctx, 'erasing messages whose time is over');
    const due = ctx.config.chat.retentionMs === undefined ? dueOfSome : dueOfAll;
    for (let after: string | undefined = ''; after !== undefined;) {
      const { now, since } = keepingValues(ctx);
      const { rows }: { readonly rows: readonly { readonly id: string }[] } = await ctx.db.executeQuery(
        due(now - GRACE_MS, since - GRACE_MS, after),
      );
      for (const { id } of rows)
        await failures.run({ conversationId: id }, async () => {
          let isLeft = true;
          while (isLeft) {
            signal.throwIfAborted();
            isLeft = await transaction(ctx, async (tx) => await eraseDue(tx, id));
          }
        });
      after = rows.length < FOUND ? undefined : rows.at(-1)?.id;
    }
    failures.end();
  };
}

const conversationBy = writtenQuery<ConversationRow>('select * from conversations where id = $1');
const oldest = writtenQuery<ConversationMessageRow>(
  `select * from conversation_messages where conversation_id = $1 and seq > $2 order by seq limit ${TOGETHER}`,
);
const unmention = writtenQuery(
  'delete from conversation_mentions where conversation_id = $1 and seq > $2 and seq <= $3',
);
const eraseTexts = writtenQuery(`
  update conversation_messages set sealed = null, signature = null, files = null, bytes = 0, deleted_at = $1
  where conversation_id = $2 and seq > $3 and seq <= $4 and deleted_at is null`);
const erasedUpTo = writtenQuery('update conversations set erased_seq = $1 where id = $2');

/** @returns whether some may be left */
async function eraseDue(tx: Context, id: string): Promise<boolean> {
  const [conversation] = (await tx.db.executeQuery(conversationBy(id))).rows;
  const kept = conversation === undefined ? null : keptMs(tx, conversation);
  if (conversation === undefined || kept === null) return false;
  const now = tx.clock.now();
  const { rows } = await tx.db.executeQuery(oldest(id, conversation.erased_seq));
  const first = rows.findIndex((row) => row.created_at > now - kept - GRACE_MS);
  const due = first === -1 ? rows : rows.slice(0, first);
  const last = due.at(-1);
  if (last === undefined) return false;
  // Whoever sends locks the conversation before the message that they answer, so this goes first here too.
  await tx.db.executeQuery(erasedUpTo(last.seq, id));
  await forgetErasedThreads(tx, id, conversation.erased_seq, last.seq);
  await tx.db.executeQuery(unmention(id, conversation.erased_seq, last.seq));
  const there = due.filter((row) => row.deleted_at === null);
  const ids = there.map((row) => row.id);
  const released = await releaseAttachments(tx, ids);
  if (ids.length > 0)
    for (const table of ['conversation_edits', 'conversation_reactions', 'conversation_pins'] as const)
      await tx.db.deleteFrom(table).where('message_id', 'in', ids).execute();
  for (const one of ids) await unindexMessage(tx, id, one);
  await tx.db.executeQuery(eraseTexts(now, id, conversation.erased_seq, last.seq));
  await freeStorageOf(tx, [...there.map(({ sender_id: memberId, bytes }) => ({ memberId, bytes })), ...released]);
  await eraseKeys(tx, { ...conversation, erased_seq: last.seq });
  if (ids.length > 0) await tell(tx, conversation, 'messagesRemoved', { upToSeq: last.seq });
  return due.length === TOGETHER;
}

// Edits are sealed under later keys than the messages around them, so the oldest key that something needs is looked for among all.
const oldestNeeded = writtenQuery<Readonly<Record<'text' | 'edit' | 'draft' | 'scheduled' | 'report', number | null>>>(`
  select
    (select min(epoch) from conversation_messages where conversation_id = $1 and seq > $2 and sealed is not null) as text,
    (select min(e.epoch) from conversation_messages m join conversation_edits e on e.message_id = m.id
      where m.conversation_id = $3 and m.seq > $4) as edit,
    (select min(epoch) from conversation_drafts where conversation_id = $5) as draft,
    (select min(epoch) from conversation_scheduled where conversation_id = $6) as scheduled,
    (select min(epoch) from conversation_reports where conversation_id = $7 and status = 'pending') as report`);

/** Erases keys under which nothing is left, and never the current one. Keys that members made go from what the node has for them. */
async function eraseKeys(tx: Context, conversation: ConversationRow): Promise<void> {
  const { id, erased_seq: seq, search_epoch: searchEpoch } = conversation;
  const room = roomOf(id);
  const current = await heldEpoch(tx, room);
  const needed = onlyRow((await tx.db.executeQuery(oldestNeeded(id, seq, id, seq, id, id, id))).rows);
  const floor = Math.min(current, ...Object.values(needed).map((epoch) => epoch ?? current));
  if (isClientMode(conversation)) return await eraseWrapsBelow(tx, room, floor);
  if (searchEpoch !== null && searchEpoch < floor) {
    using keys = await openRoomKeys(tx, room, [searchEpoch, current]);
    await moveSpaceKey(tx, conversation, keys, current);
  }
  await eraseEpochsBelow(tx, room, floor);
  await eraseWrapsBelow(tx, room, floor);
}
