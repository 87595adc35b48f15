import { operatorId } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { NotificationType } from '../../../contract/notifications/notification.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import { notify } from '../../../shared/notifications/notify.ts';
import { withdraw } from '../../../shared/notifications/withdraw.ts';
import { accountsOf } from '../members/accounts.ts';
import { inTurns } from './telling.ts';

/** Characters of what a member wrote that stand in a notification. */
const QUOTED = 200;

interface Notice {
  readonly type: NotificationType;
  /** the account that caused it, or the operator */
  readonly actorId: string;
  readonly targetId: string;
  readonly content: string;
}

/** Notifies accounts, each once, in the transaction of what happened. */
export async function noticeTo(
  tx: Context,
  accountIds: Iterable<string>,
  { actorId, ...notice }: Notice,
): Promise<void> {
  // In one order, so that no two transactions wait for each other.
  const recipients = new Set([...accountIds].toSorted());
  const caused = actorId === operatorId ? undefined : actorId;
  await inTurns(recipients, async (recipientId) => await notify(tx, { ...notice, recipientId, actorId: caused }));
}

/** A member of the quorum has done what a notification asked for. */
export async function noticeDone(
  tx: Context,
  type: NotificationType,
  targetId: string,
  memberId: string,
): Promise<void> {
  for (const recipientId of await accountsOf(tx, [memberId])) await withdraw(tx, { targetId, type, recipientId });
}

/** What a former member may not know any more. Notifications about documents of their own stay. */
const ofMembers: readonly NotificationType[] = [
  'quorum_vote_wanted',
  'quorum_decision',
  'quorum_share_wanted',
  'quorum_confirmation_wanted',
];

/** Takes back from an account what it was told as a member of the quorum. */
export async function noticesGone(tx: Context, recipientId: string): Promise<void> {
  for (const type of ofMembers) await withdraw(tx, { type, recipientId });
}

/** One line of what a member wrote. It never comes from a document. */
export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= QUOTED) return `“${line}”`;
  // Half of a letter is none.
  return `“${line.slice(0, QUOTED).replace(/\p{Surrogate}$/u, '')}…”`;
}

/** How sentences name an account. */
export async function nameOf(tx: Context, accountId: string): Promise<string> {
  return (await memberSummaries(tx, [accountId])).get(accountId)?.username ?? 'Somebody';
}
