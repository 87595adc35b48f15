import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import type { DataOf, Event } from '../../../contract/event.ts';
import { publish } from '../../../realtime/publish.ts';
import type { QuorumSessionRow } from '../../../store/tables/quorum.ts';
import { accountTopic } from './topics.ts';

/** A document can have 255 holders. Between so many of them other work of the process gets a turn. */
const HOLDERS_AT_ONCE = 16;

type Shares = Pick<QuorumSessionRow, 'document_id' | 'generation'>;

/** The accounts of the active members with a share of this generation. */
export async function holderAccounts(tx: Context, { document_id: documentId, generation }: Shares): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('quorum_shares as s')
    .innerJoin('quorum_members as m', 'm.id', 's.member_id')
    .where('s.document_id', '=', documentId)
    .where('s.generation', '=', generation)
    .where('m.active', '=', 1)
    .select('m.account_id')
    .orderBy('m.id')
    .execute();
  return rows.flatMap(({ account_id: id }) => (id === null ? [] : [id]));
}

export async function tellAll<E extends Event>(
  tx: Context,
  accountIds: Iterable<string>,
  event: E,
  data: DataOf<E>,
): Promise<void> {
  let told = 0;
  for (const id of accountIds) {
    await publish(tx, accountTopic(id), event, data);
    told += 1;
    if (told % HOLDERS_AT_ONCE === 0) await nextTurn();
  }
}

/** The accounts of active members. @param memberIds of the quorum */
export async function accountsOf(tx: Context, memberIds: readonly string[]): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('quorum_members')
    .where('id', 'in', memberIds)
    .where('active', '=', 1)
    .select('account_id')
    .orderBy('id')
    .execute();
  return rows.flatMap(({ account_id: id }) => (id === null ? [] : [id]));
}
