import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import { quorumLimits } from '../../../contract/quorum/limits.ts';
import type { Proposal, quorumProposals } from '../../../contract/quorum/proposals.ts';
import { canonicalJson } from '../../../crypto/canonical-json.ts';
import { hashOfAction } from '../../../crypto/formats/quorum/statements.ts';
import { timeFrom } from '../../../base/iso-time.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { transactionOnce } from '../../../service/repeats.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { QuorumMemberRow, QuorumProposalRow } from '../../../platform/store/tables/quorum.ts';
import { requireMember } from '../access.ts';
import { record } from '../audit/record.ts';
import { askForVotes, tellProposal } from '../events/proposals.ts';
import { currentEpoch, type Epoch } from '../members/epochs.ts';
import type { Payload } from './action.ts';
import { actionOf } from './actions.ts';
import { electorateNow, expiryJob } from './execute.ts';
import { checkPayload } from './payloads.ts';
import { shown } from './proposals.ts';

type Input = InputOf<typeof quorumProposals.createProposal>;

export async function createProposal(ctx: Context, actor: Actor, input: Input): Promise<{ proposal: Proposal }> {
  const own = await requireMember(ctx, actor);
  const type = input.actionType;
  const expiresAt = endOf(ctx, input.expiresAt);
  const given = withoutProposer(checkPayload(type, input.actionPayload), actor, own);
  const action = actionOf(type);
  const payload = (await action.prepare?.(ctx, actor, given)) ?? given;
  // The text that is stored, and that votes are about.
  const text = canonicalJson(payload);
  return await transactionOnce(ctx, async (tx) => {
    const { id: proposerId } = await requireMember(tx, actor);
    const epoch = await currentEpoch(tx);
    const now = tx.clock.now();
    const row: QuorumProposalRow = {
      id: recordId(now, tx.random),
      description: input.description,
      action_type: type,
      action_payload: text,
      action_hash: hashOfAction(type, payload),
      proposer_id: proposerId,
      status: 'pending',
      reason: null,
      required_threshold: epoch.threshold,
      epoch: epoch.number,
      attachment_cbl_id: input.attachmentCblId ?? null,
      created_at: now,
      expires_at: expiresAt,
      decided_at: null,
      executes_at: null,
      executed_at: null,
    };
    const voterIds = await assertDecidable(tx, row, epoch);
    await action.check(tx, row, payload);
    await tx.db.insertInto('quorum_proposals').values(row).execute();
    const job = { id: expiryJob(row.id), kind: 'quorum-expiry', payload: { proposalId: row.id } };
    await planJob(tx.db, { ...job, runAt: expiresAt, now });
    const details = { actionType: type, actionHash: row.action_hash, epoch: epoch.number };
    const event = { action: 'PROPOSAL_CREATED', subject: `proposal/${row.id}`, details };
    await record(tx, actor.memberId, event, [['quorum_proposals', row.id]]);
    await tellProposal(tx, row);
    await askForVotes(tx, row, actor.memberId, voterIds);
    return { proposal: shown(row) };
  });
}

function endOf({ clock }: Context, text: string): number {
  const [now, ends] = [clock.now(), timeFrom(text)];
  if (ends === undefined || ends <= now || ends > now + quorumLimits.proposalDays * 86_400_000)
    throw fieldProblem('expiresAt', `must be in the future, and at most ${quorumLimits.proposalDays} days from now`);
  return ends;
}

/** Nobody proposes in the name of somebody else. */
function withoutProposer(payload: Payload, actor: Actor, own: QuorumMemberRow): Payload {
  const { proposerMemberId, ...rest } = payload;
  if (proposerMemberId !== undefined && proposerMemberId !== actor.memberId && proposerMemberId !== own.id)
    throw new Problem(
      'forbidden',
      'FORBIDDEN',
      'actionPayload.proposerMemberId: must be you, as an account or a member of the quorum',
    );
  return rest;
}

/** A quorum that is still smaller than its threshold can decide nothing. @returns the members who decide */
async function assertDecidable(tx: Context, row: QuorumProposalRow, epoch: Epoch): Promise<ReadonlySet<string>> {
  const { voterIds, required } = await electorateNow(tx, row, epoch);
  if (voterIds.size < required)
    throw new Problem(
      'invalid',
      'INVALID_MEMBER_COUNT',
      `It takes ${required} members to decide, and the quorum has ${voterIds.size}. Add members first.`,
    );
  return voterIds;
}
