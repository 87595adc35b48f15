import type { Context } from '../../../service/context.ts';
import { quorumLimits } from '../../../contract/quorum/limits.ts';
import { fromHex } from '../../../crypto/bytes.ts';
import { memberIdOf } from '../../../crypto/public-key.ts';
import { emailKey } from '../../../shared/members/names.ts';
import { Problem } from '../../../base/problem.ts';
import type { QuorumMemberRow } from '../../../platform/store/tables/quorum.ts';
import type { ChangedRow } from '../audit/row-digests.ts';
import { affectedBy, type Affected } from '../documents/holders.ts';
import { noticeHolderBack, noticeHoldersChanged } from '../events/holders.ts';
import { stopTelling } from '../events/membership.ts';
import { memberNotFound } from '../problems.ts';
import { endSessionsOf } from '../sessions/ending.ts';
import { beginEpoch, type Epoch } from './epochs.ts';
import { forgetUnverified } from './linking.ts';

/** Who is to be admitted. */
export interface Candidate {
  /** compressed, hex */
  readonly publicKey: string;
  readonly name: string;
  readonly email?: string | undefined;
  readonly role?: string | undefined;
  /** the account to link, by `accountToLink` */
  readonly accountId?: string | null | undefined;
}

export interface Admission {
  readonly row: QuorumMemberRow;
  readonly epoch: Epoch;
  readonly changed: ChangedRow[];
}

/**
 * Admits a member in a new epoch, at the request of an administrator or by a proposal. The caller holds the epoch, has checked who decides,
 * and records it.
 *
 * @throws Problem invalid INVALID_MEMBER_COUNT; conflict QUORUM_MEMBER_EXISTS, QUORUM_MEMBER_BANNED
 */
export async function admit(
  tx: Context,
  from: Epoch,
  candidate: Candidate,
  proposalId: string | null,
): Promise<Admission> {
  const id = memberIdOf(fromHex(candidate.publicKey));
  const { accountId = null } = candidate;
  await assertAdmissible(tx, from, id, accountId, candidate.email);
  const now = tx.clock.now();
  const before = await tx.db.selectFrom('quorum_members').select('created_at').where('id', '=', id).executeTakeFirst();
  const row: QuorumMemberRow = {
    id,
    public_key: candidate.publicKey,
    name: candidate.name,
    email: candidate.email ?? null,
    role: candidate.role ?? null,
    account_id: accountId,
    active: 1,
    created_at: before?.created_at ?? now,
    updated_at: now,
  };
  const { id: _, created_at: _created, ...changes } = row;
  await tx.db
    .insertInto('quorum_members')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changes))
    .execute();
  await forgetUnverified(tx, id);
  const { epoch, changed } = await beginEpoch(tx, from, { memberIds: [...from.memberIds, id] }, proposalId);
  if (before !== undefined) await noticeHolderBack(tx, id);
  return { row, epoch, changed: [['quorum_members', id], ...changed] };
}

/** @throws Problem invalid INVALID_MEMBER_COUNT; conflict QUORUM_MEMBER_EXISTS, QUORUM_MEMBER_BANNED */
export async function assertAdmissible(
  tx: Context,
  from: Epoch,
  id: string,
  accountId: string | null,
  email: string | undefined,
): Promise<void> {
  if (from.memberIds.includes(id))
    throw new Problem('conflict', 'QUORUM_MEMBER_EXISTS', `The key is that of the member ${id}.`);
  if (from.memberIds.length >= quorumLimits.members)
    throw new Problem(
      'invalid',
      'INVALID_MEMBER_COUNT',
      `A quorum has at most ${quorumLimits.members} members. Remove one first.`,
    );
  const other =
    accountId === null
      ? undefined
      : await tx.db
          .selectFrom('quorum_members')
          .select('id')
          .where('account_id', '=', accountId)
          .where('active', '=', 1)
          .executeTakeFirst();
  if (other !== undefined)
    throw new Problem('conflict', 'QUORUM_MEMBER_EXISTS', `The account is linked to the member ${other.id}.`);
  const bans = await tx.db.selectFrom('quorum_bans').selectAll().execute();
  const key = email === undefined ? undefined : emailKey(email);
  const isBanned = bans.some(
    (ban) =>
      ban.member_id === id ||
      (accountId !== null && ban.account_id === accountId) ||
      (key !== undefined && ban.email !== null && emailKey(ban.email) === key),
  );
  if (isBanned)
    throw new Problem(
      'conflict',
      'QUORUM_MEMBER_BANNED',
      'The quorum has banned this key, account or e-mail address. A proposal UNBAN_MEMBER lifts the ban.',
    );
}

/** @throws Problem missing MEMBER_NOT_FOUND; invalid INVALID_MEMBER_COUNT if fewer than the threshold would be left */
export function assertDismissible({ memberIds, threshold }: Epoch, memberId: string): void {
  if (!memberIds.includes(memberId)) throw memberNotFound(memberId);
  const left = memberIds.length - 1;
  if (left < threshold)
    throw new Problem(
      'invalid',
      'INVALID_MEMBER_COUNT',
      `The threshold is ${threshold}, and ${left} members would be left. Add a member first, or lower the threshold.`,
    );
}

export interface Dismissal {
  readonly epoch: Epoch;
  readonly changed: ChangedRow[];
  readonly documents: Affected;
}

/**
 * Ends a membership in a new epoch, with the sessions that the member asked for. The caller holds the epoch, has checked who decides, and
 * records it.
 *
 * @param actorId who the ends of the sessions are recorded for
 * @throws Problem missing MEMBER_NOT_FOUND; invalid INVALID_MEMBER_COUNT if fewer than the threshold would be left
 */
export async function dismiss(
  tx: Context,
  actorId: string,
  from: Epoch,
  memberId: string,
  proposalId: string | null,
): Promise<Dismissal> {
  assertDismissible(from, memberId);
  const memberIds = from.memberIds.filter((id) => id !== memberId);
  const { account_id: accountId } = await tx.db
    .updateTable('quorum_members')
    .set({ active: 0, updated_at: tx.clock.now() })
    .where('id', '=', memberId)
    .returning('account_id')
    .executeTakeFirstOrThrow();
  await stopTelling(tx, accountId);
  const { epoch, changed } = await beginEpoch(tx, from, { memberIds }, proposalId);
  await endSessionsOf(tx, actorId, { memberId }, 'MEMBER_REMOVED');
  await noticeHoldersChanged(tx, actorId, memberId);
  return { epoch, changed: [['quorum_members', memberId], ...changed], documents: await affectedBy(tx, memberId) };
}
