import { transaction, type Context } from '../../service/context.ts';
import type { JobHandler } from '../../platform/store/jobs/jobs.ts';
import { freeStorageOf } from '../members/storage.ts';
import { releaseAttachments } from './attachments/references.ts';
import { unindexSome } from './indexing.ts';

/** The kind of the jobs that erase the messages of deleted conversations. */
export const erasingKind = 'chat-erasing';

/** Messages of one transaction. Other writers wait for it. */
const TOGETHER = 200;

/** Erases what is left of a deleted conversation, some messages at a time. Nobody can read them any more: their keys went with it. */
export function erasingHandler(ctx: Context): JobHandler {
  return async (payload, { signal }) => {
    const { id } = payload as { readonly id: string };
    for (const erase of [eraseSome, unindexSome])
      while (!signal.aborted) if (!(await transaction(ctx, async (tx) => await erase(tx, id)))) break;
  };
}

/** @returns whether some may be left */
async function eraseSome(tx: Context, conversationId: string): Promise<boolean> {
  const rows = await tx.db
    .selectFrom('conversation_messages')
    .select(['id', 'seq', 'sender_id', 'bytes'])
    .where('conversation_id', '=', conversationId)
    .orderBy('seq')
    .limit(TOGETHER)
    .execute();
  const last = rows.at(-1);
  if (last === undefined) return false;
  const ids = rows.map(({ id }) => id);
  for (const table of ['conversation_edits', 'conversation_reactions'] as const)
    await tx.db.deleteFrom(table).where('message_id', 'in', ids).execute();
  const released = await releaseAttachments(tx, ids);
  await tx.db
    .deleteFrom('conversation_messages')
    .where('conversation_id', '=', conversationId)
    .where('seq', '<=', last.seq)
    .execute();
  await freeStorageOf(tx, [...rows.map(({ sender_id: memberId, bytes }) => ({ memberId, bytes })), ...released]);
  return rows.length === TOGETHER;
}
