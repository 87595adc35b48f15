import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { Proposal, quorumProposals, Vote } from '../../../contract/quorum/proposals.ts';
import { fromHex, toHex } from '../../../crypto/bytes.ts';
import { sign, verify } from '../../../crypto/signature.ts';
import { publicKeysOf } from '../../../shared/members/public-keys.ts';
import { openMemberKey } from '../../../shared/members/session-key.ts';
import { Problem } from '../../../base/problem.ts';
import type { QuorumMemberRow, QuorumProposalRow, QuorumVoteRow } from '../../../platform/store/tables/quorum.ts';
import { record } from '../audit/record.ts';
import { tellVote } from '../events/proposals.ts';
import { currentEpoch, holdEpoch } from '../members/epochs.ts';
import { notMember, wrongSignature } from '../problems.ts';
import { ballotsOf, statementOf, verifyAhead, type Verified } from './ballots.ts';
import { electorateNow, settle } from './execute.ts';
import { assertPending, shown, shownVote, visibleProposal } from './proposals.ts';
import { countOf, outcomeOf } from './tally.ts';

type Input = InputOf<typeof quorumProposals.castVote>;

export async function castVote(
  ctx: Context,
  actor: Actor,
  { proposalId, decision, comment = null, signature }: Omit<Input, 'comment'> & { comment?: string | null | undefined },
): Promise<{ proposal: Proposal; vote: Vote }> {
  const { row, own } = await voter(ctx, actor, proposalId);
  const vote = { voter_id: own.id, decision, comment };
  const signed = await signedVote(ctx, actor, own, statementOf(ctx, row, vote), signature);
  const cast = { proposal_id: row.id, ...vote, ...signed, created_at: ctx.clock.now() };
  const verified = await verifiedAhead(ctx, row, cast);
  return await transaction(ctx, async (tx) => {
    const current = await holdEpoch(tx);
    const now = await voter(tx, actor, proposalId);
    if (now.own.id !== own.id) throw notMember();
    assertPending(tx, now.row);
    const electorate = await electorateNow(tx, now.row, current);
    if (!electorate.voterIds.has(own.id))
      throw new Problem('forbidden', 'FORBIDDEN', `You are not one of those who decide on this proposal.`);
    const { decision: _, ...key } = cast;
    const { proposal_id: _id, voter_id: _voter, ...changes } = { ...key, decision };
    await tx.db
      .insertInto('quorum_votes')
      .values(cast)
      .onConflict((conflict) => conflict.columns(['proposal_id', 'voter_id']).doUpdateSet(changes))
      .execute();
    const event = { action: 'VOTE_CAST', subject: `proposal/${row.id}`, details: { voterMemberId: own.id, decision } };
    await record(tx, actor.memberId, event, [['quorum_votes', row.id, own.id]]);
    await tellVote(tx, cast);
    const settled = await settle(tx, current, now.row, actor.memberId, verified);
    return { proposal: shown(settled), vote: shownVote(cast, true) };
  });
}

async function voter(
  ctx: Context,
  actor: Actor,
  proposalId: string,
): Promise<{ readonly row: QuorumProposalRow; readonly own: QuorumMemberRow }> {
  const { row, own } = await visibleProposal(ctx, actor, proposalId);
  if (own === undefined) throw notMember();
  return { row, own };
}

type Signed = Pick<QuorumVoteRow, 'signature' | 'signed_by'>;

/**
 * The vote's signature, by the key of the session if none is given.
 * @throws Problem invalid INVALID_SIGNATURE; forbidden KEY_LOCKED
 */
async function signedVote(
  ctx: Context,
  actor: Actor,
  own: QuorumMemberRow,
  statement: Uint8Array,
  given: string | undefined,
): Promise<Signed> {
  const signature = given === undefined ? await signedBySession(ctx, actor, statement) : fromHex(given);
  const [account] = await publicKeysOf(ctx, [actor.memberId]);
  const isOf = (key: Uint8Array | undefined) => key !== undefined && verify(key, statement, signature);
  if (isOf(fromHex(own.public_key))) return { signature: toHex(signature), signed_by: 'member' };
  if (isOf(account?.publicKey)) return { signature: toHex(signature), signed_by: 'account' };
  throw wrongSignature();
}

async function signedBySession(ctx: Context, actor: Actor, statement: Uint8Array): Promise<Uint8Array> {
  const key = await openMemberKey(ctx, actor);
  try {
    return sign(key, statement);
  } finally {
    key.fill(0);
  }
}

/** Verifies the votes of others before the transaction if this one may decide. */
async function verifiedAhead(ctx: Context, row: QuorumProposalRow, cast: QuorumVoteRow): Promise<Verified> {
  const others = (await ballotsOf(ctx, row.id)).filter(({ voter_id: id }) => id !== cast.voter_id);
  const electorate = await electorateNow(ctx, row, await currentEpoch(ctx));
  const mayDecide = outcomeOf(countOf([...others, cast], electorate), electorate) !== undefined;
  return mayDecide ? await verifyAhead(ctx, row, others) : new Map();
}
