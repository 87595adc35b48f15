import type { Context } from '../../../../service/context.ts';
import type { PayloadOf } from '../../../../contract/quorum/actions.ts';
import { Problem } from '../../../../base/problem.ts';
import type { QuorumMemberRow } from '../../../../platform/store/tables/quorum.ts';
import { counted } from '../../members/members.ts';
import { currentEpoch } from '../../members/epochs.ts';
import { assertDismissible, dismiss } from '../../members/membership.ts';
import { memberNotFound } from '../../problems.ts';
import type { Action } from '../action.ts';

async function memberRow(tx: Context, memberId: string): Promise<QuorumMemberRow> {
  const row = await tx.db.selectFrom('quorum_members').selectAll().where('id', '=', memberId).executeTakeFirst();
  if (row === undefined) throw memberNotFound(memberId);
  return row;
}

async function isBanned(tx: Context, memberId: string): Promise<boolean> {
  const row = await tx.db.selectFrom('quorum_bans').select('member_id').where('member_id', '=', memberId).execute();
  return row.length > 0;
}

/** A member who is banned is removed, and nobody with the same key, account or e-mail address is added again. */
export const banMember: Action<PayloadOf<'BAN_MEMBER'>> = {
  async check(tx, _proposal, { memberId }) {
    const { active } = await memberRow(tx, memberId);
    if (await isBanned(tx, memberId))
      throw new Problem('conflict', 'QUORUM_MEMBER_BANNED', `The member ${memberId} is banned already.`);
    if (active === 1) assertDismissible(await currentEpoch(tx), memberId);
  },
  async execute(tx, proposal, { memberId, reason }, actorId) {
    const row = await memberRow(tx, memberId);
    await tx.db
      .insertInto('quorum_bans')
      .values({
        member_id: memberId,
        account_id: row.account_id,
        email: row.email,
        reason,
        proposal_id: proposal.id,
        created_at: tx.clock.now(),
      })
      .execute();
    const ban = ['quorum_bans', memberId] as const;
    if (row.active === 0) return { changed: [ban], details: { memberId } };
    const { epoch, changed, documents } = await dismiss(tx, actorId, await currentEpoch(tx), memberId, proposal.id);
    return { changed: [ban, ...changed], details: { memberId, epoch: epoch.number, ...counted(documents) } };
  },
};

/** The member can be added again; nobody is added by it. */
export const unbanMember: Action<PayloadOf<'UNBAN_MEMBER'>> = {
  async check(tx, _proposal, { memberId }) {
    if (!(await isBanned(tx, memberId)))
      throw new Problem('missing', 'QUORUM_MEMBER_NOT_BANNED', `The quorum has not banned the member ${memberId}.`);
  },
  async execute(tx, _proposal, { memberId }) {
    await tx.db.deleteFrom('quorum_bans').where('member_id', '=', memberId).execute();
    return { changed: [['quorum_bans', memberId]], details: { memberId } };
  },
};
