import type { Context } from '../../../service/context.ts';
import type { UnsealSession } from '../../../contract/quorum/sessions.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import type {
  QuorumContributionRow,
  QuorumDocumentRow,
  QuorumSessionRow,
} from '../../../platform/store/tables/quorum.ts';
import { isOpen } from './closing.ts';

/** Sessions as anybody sees them who may see them: without shares. */
export async function shownSessions(ctx: Context, rows: readonly QuorumSessionRow[]): Promise<UnsealSession[]> {
  if (rows.length === 0) return [];
  const documentIds = [...new Set(rows.map((row) => row.document_id))];
  const documents = await ctx.db
    .selectFrom('quorum_documents')
    .select(['id', 'shares_required'])
    .where('id', 'in', documentIds)
    .execute();
  const required = new Map(documents.map((row) => [row.id, row.shares_required]));
  const sessionIds = rows.map(({ id }) => id);
  const contributions = await ctx.db
    .selectFrom('quorum_contributions')
    .select(['session_id', 'member_id', 'signature', 'created_at'])
    .where('session_id', 'in', sessionIds)
    .orderBy('created_at')
    .orderBy('member_id')
    .execute();
  const holders = await ctx.db
    .selectFrom('quorum_shares as s')
    .innerJoin('quorum_members as m', 'm.id', 's.member_id')
    .where('m.active', '=', 1)
    .where('s.document_id', 'in', documentIds)
    .select(['s.document_id', 's.generation', 's.member_id'])
    .orderBy('s.member_id')
    .execute();
  const names = await memberSummaries(
    ctx,
    rows.map((row) => row.requester_id),
  );
  return rows.map((row): UnsealSession => {
    const requester = names.get(row.requester_id);
    const own = contributions.filter((one) => one.session_id === row.id);
    const waiting = holders.filter((one) => one.document_id === row.document_id && one.generation === row.generation);
    return {
      ...plain(ctx, row),
      ...(requester && { requesterName: requester.username }),
      sharesRequired: required.get(row.document_id) ?? 0,
      contributions: own.map(contributed),
      waitingFor: waiting.map((one) => one.member_id).filter((id) => !own.some((one) => one.member_id === id)),
    };
  });
}

/** A session without shares. */
export async function shownSession(ctx: Context, row: QuorumSessionRow): Promise<UnsealSession> {
  const [session] = await shownSessions(ctx, [row]);
  if (session === undefined) throw new Error('one row gave no session');
  return session;
}

/** A session as its requester sees it while it is open: with the encrypted shares, and what checks and opens them. */
export async function shownToRequester(
  ctx: Context,
  row: QuorumSessionRow,
  document: QuorumDocumentRow,
): Promise<UnsealSession> {
  const holders = await ctx.db
    .selectFrom('quorum_shares as s')
    .innerJoin('quorum_members as m', 'm.id', 's.member_id')
    .where('s.document_id', '=', row.document_id)
    .where('s.generation', '=', row.generation)
    .select(['s.member_id', 'm.public_key', 's.salt', 's.commitment'])
    .orderBy('s.member_id')
    .execute();
  const given = await ctx.db
    .selectFrom('quorum_contributions')
    .selectAll()
    .where('session_id', '=', row.id)
    .orderBy('created_at')
    .orderBy('member_id')
    .execute();
  return {
    ...(await shownSession(ctx, row)),
    contributions: given.map((one) =>
      Object.assign(contributed(one), one.encrypted_share && { encryptedShare: toHex(one.encrypted_share) }),
    ),
    sealing: {
      header: document.header,
      epochNumber: document.epoch,
      holders: holders.map((one) => ({
        memberId: one.member_id,
        publicKey: one.public_key,
        salt: toHex(one.salt),
        commitment: one.commitment,
      })),
    },
  };
}

function plain(ctx: Context, row: QuorumSessionRow) {
  return {
    id: row.id,
    documentId: row.document_id,
    purpose: row.purpose,
    requesterId: row.requester_id,
    ephemeralPublicKey: row.ephemeral_public_key,
    reason: row.reason,
    ...(row.proposal_id !== null && { proposalId: row.proposal_id }),
    status: row.status === 'open' && !isOpen(ctx, row) ? ('expired' as const) : row.status,
    generation: row.generation,
    createdAt: new Date(row.created_at).toISOString(),
    expiresAt: new Date(row.expires_at).toISOString(),
    ...(row.ended_at !== null && { endedAt: new Date(row.ended_at).toISOString() }),
  };
}

function contributed(row: Pick<QuorumContributionRow, 'member_id' | 'signature' | 'created_at'>) {
  return {
    memberId: row.member_id,
    contributedAt: new Date(row.created_at).toISOString(),
    signature: row.signature,
  };
}
