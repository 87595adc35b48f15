import type { Context } from '../../../service/context.ts';
import type {
  QuorumDocumentRow,
  QuorumPermitRow,
  QuorumProposalRow,
  QuorumSessionRow,
} from '../../../platform/store/tables/quorum.ts';
import { memberOf } from '../access.ts';
import { findAlias } from '../aliases/aliases.ts';
import { documentNotFound } from '../problems.ts';
import { accountsOf } from '../members/accounts.ts';
import { approversOf } from '../proposals/ballots.ts';
import { wasApproved } from '../proposals/execute.ts';

type Purpose = QuorumSessionRow['purpose'];

/** Why somebody may collect the shares of a document. */
export interface Right {
  /** the proposal that allows it; null if the right is their own */
  readonly proposalId: string | null;
  /** when it ends, in milliseconds since 1970 */
  readonly until: number;
}

/**
 * The document, if the account may know of it: the creator, active members of the quorum, and whoever a proposal allowed to open it.
 * @throws Problem missing DOCUMENT_NOT_FOUND
 */
export async function knownDocument(ctx: Context, accountId: string, documentId: string): Promise<QuorumDocumentRow> {
  const row = await ctx.db.selectFrom('quorum_documents').selectAll().where('id', '=', documentId).executeTakeFirst();
  // The same questions are asked for a document that doesn't exist.
  const own = await memberOf(ctx, { memberId: accountId });
  const permits = await permitsOf(ctx, accountId, documentId);
  if (row === undefined || (row.creator_id !== accountId && own === undefined && permits.length === 0))
    throw documentNotFound();
  return row;
}

/** The proposal that allows it to whoever has no right of their own. Whoever shares an identity anew can read it, so that is a disclosure. */
export function actionFor(document: QuorumDocumentRow, purpose: Purpose): string {
  if (document.kind === 'identity') return 'IDENTITY_DISCLOSURE';
  return purpose === 'unseal' ? 'UNSEAL_DOCUMENT' : 'RESHARE_DOCUMENT';
}

/** The right of an account to collect the shares of a document now, or undefined. A sealed identity opens by a proposal alone. */
export async function rightTo(
  ctx: Context,
  accountId: string,
  document: QuorumDocumentRow,
  purpose: Purpose,
): Promise<Right | undefined> {
  if (document.kind !== 'identity' && (await isOwn(ctx, accountId, document, purpose)))
    return { proposalId: null, until: Number.POSITIVE_INFINITY };
  const permits = await permitsOf(ctx, accountId, document.id);
  const permit = permits.find(({ action_type: action }) => action === actionFor(document, purpose));
  return permit && { proposalId: permit.proposal_id, until: permit.expires_at };
}

async function isOwn(ctx: Context, accountId: string, document: QuorumDocumentRow, purpose: Purpose): Promise<boolean> {
  if (document.creator_id === accountId) return true;
  const own = await memberOf(ctx, { memberId: accountId });
  if (own === undefined || purpose === 'unseal') return own !== undefined;
  return (await shareOf(ctx, document, own.id)) !== undefined;
}

/** A member's share of the current generation. */
export async function shareOf(ctx: Context, { id, generation }: QuorumDocumentRow, memberId: string) {
  return await ctx.db
    .selectFrom('quorum_shares')
    .selectAll()
    .where('document_id', '=', id)
    .where('generation', '=', generation)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
}

/**
 * What executed proposals allow the account to do with the document now, the longest first. They serve until they expire. A row of the
 * store is not a decision: the votes have to be signed, and be about this document and for this account.
 */
async function permitsOf(ctx: Context, accountId: string, documentId: string): Promise<QuorumPermitRow[]> {
  const rows = await ctx.db
    .selectFrom('quorum_permits')
    .selectAll()
    .where('action_type', 'in', ['UNSEAL_DOCUMENT', 'IDENTITY_DISCLOSURE', 'RESHARE_DOCUMENT'])
    .where('target', '=', documentId)
    .where('expires_at', '>', ctx.clock.now())
    .orderBy('expires_at', 'desc')
    .execute();
  const permits: QuorumPermitRow[] = [];
  for (const permit of rows) if (await wasGranted(ctx, permit, accountId)) permits.push(permit);
  return permits;
}

async function wasGranted(ctx: Context, permit: QuorumPermitRow, accountId: string): Promise<boolean> {
  if (!(JSON.parse(permit.holder_ids) as string[]).includes(accountId)) return false;
  const proposal = await ctx.db
    .selectFrom('quorum_proposals')
    .selectAll()
    .where('id', '=', permit.proposal_id)
    .where('status', '=', 'executed')
    .where('action_type', '=', permit.action_type)
    .executeTakeFirst();
  if (proposal === undefined || !(await isAbout(ctx, proposal, permit.target))) return false;
  // Whoever was removed from the quorum since has no part in its decisions any more.
  const isDisclosure = permit.action_type === 'IDENTITY_DISCLOSURE';
  const memberIds = [proposal.proposer_id, ...(isDisclosure ? await approversOf(ctx, proposal) : [])];
  return (await accountsOf(ctx, memberIds)).includes(accountId) && (await wasApproved(ctx, proposal));
}

/** Whether a proposal names the document, or the alias that stands for it. */
async function isAbout(ctx: Context, proposal: QuorumProposalRow, documentId: string): Promise<boolean> {
  const payload = JSON.parse(proposal.action_payload) as { documentId?: string; aliasName?: string };
  if (proposal.action_type !== 'IDENTITY_DISCLOSURE') return payload.documentId === documentId;
  return (await findAlias(ctx, payload.aliasName ?? ''))?.document_id === documentId;
}
