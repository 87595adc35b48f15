import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../../service/context.ts';
import type { DataOf, Event } from '../../../contract/event.ts';
import { publish } from '../../../platform/realtime/publish.ts';
import type { QuorumSessionRow } from '../../../platform/store/tables/quorum.ts';
import { accountTopic } from './topics.ts';

/** Between so many members other work of the process gets a turn. */
const AT_ONCE = 16;

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

/** Does something for each of up to 255 members. Other work of the process gets a turn now and then. */
export async function inTurns(
  accountIds: Iterable<string>,
  work: (accountId: string) => Promise<unknown>,
): Promise<void> {
  let done = 0;
  for (const id of accountIds) {
    await work(id);
    done += 1;
    if (done % AT_ONCE === 0) await nextTurn();
  }
}

export async function tellAll<E extends Event>(
  tx: Context,
  accountIds: Iterable<string>,
  event: E,
  data: DataOf<E>,
): Promise<void> {
  await inTurns(accountIds, async (id) => await publish(tx, accountTopic(id), event, data));
}
