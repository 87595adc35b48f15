import type { Context } from '../../../service/context.ts';
import type { Reshare } from '../../../contract/quorum/reshares.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import type { QuorumReshareRow } from '../../../platform/store/tables/quorum.ts';
import { isGoing } from './ending.ts';

export async function shownReshares(ctx: Context, rows: readonly QuorumReshareRow[]): Promise<Reshare[]> {
  if (rows.length === 0) return [];
  const holders = rows.map((row) => JSON.parse(row.member_ids) as string[]);
  const members = await ctx.db
    .selectFrom('quorum_members')
    .select(['id', 'public_key'])
    .where('id', 'in', [...new Set(holders.flat())])
    .execute();
  const keys = new Map(members.map((row) => [row.id, row.public_key]));
  const confirmed = await ctx.db
    .selectFrom('quorum_shares')
    .select(['document_id', 'generation', 'member_id'])
    .where(
      'document_id',
      'in',
      rows.map((row) => row.document_id),
    )
    .where('confirmation', 'is not', null)
    .orderBy('member_id')
    .execute();
  const sessions = await ctx.db
    .selectFrom('quorum_sessions')
    .select(['id', 'proposal_id'])
    .where(
      'id',
      'in',
      rows.map((row) => row.session_id),
    )
    .execute();
  const names = await memberSummaries(
    ctx,
    rows.map((row) => row.requester_id),
  );
  return rows.map((row, at): Reshare => {
    const memberIds = holders[at] ?? [];
    const confirmedBy = confirmed
      .filter((one) => one.document_id === row.document_id && one.generation === row.to_generation)
      .map((one) => one.member_id);
    const requester = names.get(row.requester_id);
    const proposalId = sessions.find(({ id }) => id === row.session_id)?.proposal_id ?? undefined;
    return {
      ...plain(ctx, row),
      ...(requester && { requesterName: requester.username }),
      ...(proposalId !== undefined && { proposalId }),
      holders: memberIds.map((memberId) => ({ memberId, publicKey: keys.get(memberId) ?? '' })),
      confirmedBy,
      waitingFor: row.status === 'confirming' ? memberIds.filter((id) => !confirmedBy.includes(id)) : [],
    };
  });
}

export async function shownReshare(ctx: Context, row: QuorumReshareRow): Promise<Reshare> {
  const [reshare] = await shownReshares(ctx, [row]);
  if (reshare === undefined) throw new Error('one row gave no re-sharing');
  return reshare;
}

function plain(ctx: Context, row: QuorumReshareRow) {
  const isOver = row.ended_at === null && !isGoing(ctx, row);
  return {
    id: row.id,
    documentId: row.document_id,
    sessionId: row.session_id,
    requesterId: row.requester_id,
    rekey: row.rekey === 1,
    status: isOver ? ('expired' as const) : row.status,
    ...(row.reason !== null && { reason: row.reason }),
    fromGeneration: row.from_generation,
    toGeneration: row.to_generation,
    epochNumber: row.epoch,
    sharesRequired: row.shares_required,
    ...(row.header !== null && { header: row.header, hasContent: row.new_block_id !== null }),
    createdAt: new Date(row.created_at).toISOString(),
    expiresAt: new Date(row.expires_at).toISOString(),
    ...(row.ended_at !== null && { endedAt: new Date(row.ended_at).toISOString() }),
  };
}
