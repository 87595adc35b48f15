import { requireRole, type Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { AccessListProposal } from '../../../contract/pool/shapes.ts';
import { fromHex } from '../../../crypto/bytes.ts';
import { fingerprintOfHash } from '../../../crypto/fingerprint.ts';
import { Problem } from '../../../base/problem.ts';
import { asc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { PoolProposalRow } from '../../../platform/store/tables/pool.ts';
import { afterwards, announceProposal } from '../announcing.ts';
import { note, noteList } from '../note.ts';
import { readList, signList, validSignatures, type SignedList } from '../../../crypto/formats/access-list/chain.ts';
import { ensureList } from './commit.ts';
import { enforce } from './enforce.ts';
import { refusedList } from '../../../crypto/formats/access-list/document.ts';
import { rulesInForce } from './open-decisions.ts';
import { joined, keepProposal, proposalRow, signaturesOf } from './proposal-rows.ts';
import { administrators, assertStillSigning, signerFor } from './signer.ts';
import { currentList, storedList } from './store.ts';
import { tellChange } from './tell-change.ts';

/** The proposals to change the access list, oldest first, also those that can't be signed any more. */
export async function aclProposals(
  ctx: Context,
  actor: Actor,
  page: PageRequest,
): Promise<{ proposals: AccessListProposal[] } & Next> {
  requireRole(actor, administrators);
  const current = await ensureList(ctx);
  const { poolId } = current.document;
  const { rows, next } = await readPage(
    ctx,
    ctx.db
      .selectFrom('pool_proposals as p')
      .selectAll('p')
      .where('p.pool_id', '=', poolId)
      .where((e) =>
        e.not(
          e.exists(
            e
              .selectFrom('pool_lists as l')
              .select('l.hash')
              .whereRef('l.pool_id', '=', 'p.pool_id')
              .whereRef('l.version', '=', 'p.version')
              .whereRef('l.hash', '=', 'p.hash'),
          ),
        ),
      ),
    {
      list: 'pool.acl-proposals',
      memberId: actor.memberId,
      filter: { poolId },
      by: [asc('p.received_at', (row) => row.received_at), asc('p.hash', (row) => row.hash)],
    },
    page,
  );
  // Whoever is treated as removed doesn't count, though the active list names them.
  const { admins } = await rulesInForce(ctx.db, current.document);
  const counted = new Set(admins.map(({ memberId }) => memberId));
  note(ctx, actor, 'pool.acl-proposals');
  return { proposals: rows.map((row) => proposalDto(ctx, current, counted, row)), ...next };
}

function proposalDto(
  ctx: Context,
  current: SignedList,
  counted: ReadonlySet<string>,
  row: PoolProposalRow,
): AccessListProposal {
  const { document, signatures } = storedList(row);
  const { hex, words } = fingerprintOfHash(fromHex(row.hash));
  const over = row.expires_at <= ctx.clock.now();
  const stale = row.prev !== current.hash;
  return {
    hash: row.hash,
    fingerprint: { hex, words: [...words] },
    version: row.version,
    prev: row.prev,
    status: stale ? 'stale' : over ? 'expired' : 'open',
    proposedAt: document.issuedAt,
    proposedBy: signatures[0]?.memberId ?? '',
    expiresAt: new Date(row.expires_at).toISOString(),
    signers: signatures.map(({ memberId }) => memberId).filter((memberId) => stale || counted.has(memberId)),
    threshold: current.document.threshold,
    acl: document,
    document: row.document,
    source: row.source,
  };
}

export interface Signed {
  hash: string;
  signatures: number;
  threshold: number;
  /** whether it is the active list now */
  active: boolean;
  aclVersion: number;
}

/** Signs a proposal with the caller's key. With enough signatures it becomes the active list. */
export async function signAcl(ctx: Context, actor: Actor, { hash }: { hash: string }): Promise<Signed> {
  requireRole(actor, administrators);
  const current = await ensureList(ctx);
  const { threshold, version } = current.document;
  // The answer to the signature that put it in force may have been lost.
  if (hash === current.hash)
    return { hash, signatures: current.signatures.length, threshold, active: true, aclVersion: version };
  const row = await openRow(ctx, current, hash);
  const signer = await signerFor(ctx, actor, current.document);
  const list = readList({ document: row.document, signatures: signaturesOf(row) });
  const mine = signList(list.document, signer.memberId, signer.privateKey);
  if (mine.hash !== hash) throw refusedList('the proposal in the store was changed');
  const signed = await transaction(ctx, async (tx) => {
    await assertStillSigning(tx, actor);
    await openRow(tx, await ensureList(tx), hash);
    const { row: kept, fresh } = await keepProposal(tx, mine, tx.keys.nodeId);
    if (fresh) noteList(tx, actor, 'pool.sign-acl', hash, version + 1);
    const signatures = signaturesOf(kept);
    return await enforce(tx, current, { ...list, signatures }, tx.keys.nodeId);
  });
  const active = signed.signatures.length >= threshold;
  await afterwards(ctx, async () => {
    if (active) await tellChange(ctx, current.document, signed);
    else await announceProposal(ctx, signed);
  });
  return { hash, signatures: signed.signatures.length, threshold, active, aclVersion: active ? version + 1 : version };
}

/** @throws Problem missing POOL_PROPOSAL_NOT_FOUND, conflict POOL_PROPOSAL_STALE, gone POOL_PROPOSAL_EXPIRED */
async function openRow(ctx: Context, current: SignedList, hash: string): Promise<PoolProposalRow> {
  const row = await proposalRow(ctx, current.document.poolId, hash);
  if (row === undefined) throw new Problem('missing', 'POOL_PROPOSAL_NOT_FOUND', `There is no proposal ${hash}.`);
  if (row.prev !== current.hash)
    throw new Problem(
      'conflict',
      'POOL_PROPOSAL_STALE',
      `The proposal is stale: version ${current.document.version} of the access list is active, and the proposal changes another one. Make the change again.`,
    );
  if (row.expires_at <= ctx.clock.now())
    throw new Problem('gone', 'POOL_PROPOSAL_EXPIRED', 'The proposal has expired. Make the change again.');
  return row;
}

/**
 * Receives a proposal of another node: its signatures are added to those that are known here, and with enough of them it becomes the
 * active list. Proposals for another list than the active one are not kept.
 *
 * @throws Problem invalid ACCESS_LIST_REFUSED, conflict POOL_PROPOSALS_FULL; nothing was changed then
 */
export async function receiveProposal(ctx: Context, wire: unknown, source: string): Promise<void> {
  const list = readList(wire);
  const before = await currentList(ctx.db);
  if (before === undefined || !follows(before, list)) return;
  const received = await transaction(ctx, async (tx) => {
    const current = await currentList(tx.db);
    if (current === undefined || !follows(current, list)) return undefined;
    const known = await proposalRow(tx, list.document.poolId, list.hash);
    const valid = validSignatures(list, current.document.admins);
    if (valid.length === 0) throw refusedList('no administrator has signed the proposal');
    const signatures = joined(known === undefined ? [] : signaturesOf(known), valid);
    await keepProposal(tx, { ...list, signatures }, source);
    return await enforce(tx, current, { ...list, signatures }, source);
  });
  if (received === undefined || received.signatures.length < before.document.threshold) return;
  await afterwards(ctx, async () => await tellChange(ctx, before.document, received));
}

function follows({ document, hash }: SignedList, next: SignedList): boolean {
  return (
    next.document.poolId === document.poolId &&
    next.document.version === document.version + 1 &&
    next.document.prev === hash
  );
}
