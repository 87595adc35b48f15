import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../../service/context.ts';
import { fromHex } from '../../../crypto/bytes.ts';
import { memberIdOf } from '../../../crypto/public-key.ts';
import { hashOfAction, voteStatement } from '../../../crypto/formats/quorum/statements.ts';
import { verify } from '../../../crypto/signature.ts';
import type { QuorumProposalRow, QuorumVoteRow } from '../../../platform/store/tables/quorum.ts';

/** A vote as it is stored, with the keys that could have signed it. */
export interface Ballot extends QuorumVoteRow {
  /** of the member of the quorum, compressed, hex; null if the member is unknown */
  readonly member_key: string | null;
  readonly account_id: string | null;
  readonly account_key: string | null;
  /** when the member changed last: was linked to the account, at the latest */
  readonly linked_at: number | null;
}

/** Signatures that were verified before the transaction, because that takes too long inside for many of them. */
export type Verified = Map<string, boolean>;

export async function ballotsOf(ctx: Context, proposalId: string): Promise<Ballot[]> {
  return await ctx.db
    .selectFrom('quorum_votes as v')
    .leftJoin('quorum_members as m', 'm.id', 'v.voter_id')
    .leftJoin('members as a', 'a.id', 'm.account_id')
    .where('v.proposal_id', '=', proposalId)
    .selectAll('v')
    .select(['m.public_key as member_key', 'm.account_id', 'm.updated_at as linked_at', 'a.public_key as account_key'])
    .orderBy('v.created_at')
    .orderBy('v.voter_id')
    .execute();
}

/** What is voted on. It is made of the action itself, so a changed payload has no votes. */
export function hashOf({ action_type: type, action_payload: payload }: QuorumProposalRow): string {
  return hashOfAction(type, JSON.parse(payload) as unknown);
}

/** What the voter signs. */
export function statementOf(
  { keys }: Context,
  proposal: QuorumProposalRow,
  vote: Pick<QuorumVoteRow, 'voter_id' | 'decision' | 'comment'>,
): Uint8Array {
  return voteStatement({
    nodeId: keys.nodeId,
    proposalId: proposal.id,
    actionHash: hashOf(proposal),
    epochNumber: proposal.epoch,
    voterMemberId: vote.voter_id,
    decision: vote.decision,
    comment: vote.comment,
  });
}

/**
 * Whether the voter signed the vote. An id is made from its key, so a key that was replaced in the store signs for nobody.
 * @param verified keeps what is found
 */
export function isSigned(ctx: Context, proposal: QuorumProposalRow, ballot: Ballot, verified: Verified): boolean {
  const { id, key } =
    ballot.signed_by === 'member'
      ? { id: ballot.voter_id, key: ballot.member_key }
      : { id: ballot.account_id, key: ballot.account_key };
  if (key === null) return false;
  const statement = statementOf(ctx, proposal, ballot);
  const name = `${Buffer.from(statement).toString('utf8')} ${id} ${key} ${ballot.signature}`;
  const known = verified.get(name);
  if (known !== undefined) return known;
  const right = isKeyOf(id, key) && verify(fromHex(key), statement, fromHex(ballot.signature));
  verified.set(name, right);
  return right;
}

function isKeyOf(id: string | null, key: string): boolean {
  return memberIdOf(fromHex(key)) === id;
}

/** Verifies the votes before a transaction that may decide, one after another, so that others have their turns. */
export async function verifyAhead(ctx: Context, proposal: QuorumProposalRow, ballots: readonly Ballot[]) {
  const verified: Verified = new Map();
  for (const ballot of ballots) {
    isSigned(ctx, proposal, ballot, verified);
    await nextTurn();
  }
  return verified;
}

/** The members whose signed votes approve a proposal. */
export async function approversOf(ctx: Context, proposal: QuorumProposalRow): Promise<string[]> {
  const ballots = await ballotsOf(ctx, proposal.id);
  return ballots.flatMap((ballot) =>
    ballot.decision === 'approve' && isSigned(ctx, proposal, ballot, new Map()) ? [ballot.voter_id] : [],
  );
}
