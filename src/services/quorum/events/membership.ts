import type { Context } from '../../../service/context.ts';
import { quorumEvents } from '../../../contract/quorum/events.ts';
import { drop, publish } from '../../../platform/realtime/publish.ts';
import { eraseEvents } from '../../../platform/store/event-rows.ts';
import type { QuorumMode } from '../../../platform/store/tables/quorum.ts';
import { noticesGone } from './notices.ts';
import { accountTopic, groupTopic } from './topics.ts';

interface NewEpoch {
  readonly number: number;
  readonly mode: QuorumMode;
  readonly threshold: number;
  readonly memberIds: readonly string[];
}

/** Tells the members that an epoch began, in its transaction. */
export async function tellEpoch(tx: Context, { number, mode, threshold, memberIds }: NewEpoch): Promise<void> {
  const data = { epochNumber: number, mode, threshold, memberCount: memberIds.length };
  await publish(tx, groupTopic(tx), quorumEvents.epoch, data);
}

/**
 * An account is no member of the quorum any more: it hears nothing more, in the transaction that ends its membership and before anything
 * else is told there. What was told to it as a member is erased, because the account may still hear of requests of its own.
 */
export async function stopTelling(tx: Context, accountId: string | null): Promise<void> {
  if (accountId === null) return;
  await eraseEvents(tx.db, accountTopic(accountId));
  await drop(tx, accountTopic(accountId), 'everybody');
  await drop(tx, groupTopic(tx), [accountId]);
  await noticesGone(tx, accountId);
}
