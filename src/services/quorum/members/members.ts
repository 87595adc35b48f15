import type { Actor } from '../../../service/actor.ts';
import { requireRole } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { quorumMembers, QuorumMember } from '../../../contract/quorum/members.ts';
import { quorumLimits } from '../../../contract/quorum/limits.ts';
import { fromHex, toHex } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { deriveIdentity } from '../../../crypto/identity.ts';
import { generateMnemonic, mnemonicToSeed } from '../../../crypto/mnemonic.ts';
import { compressPublicKey } from '../../../crypto/public-key.ts';
import { linkStatement } from '../../../crypto/formats/quorum/statements.ts';
import { verify } from '../../../crypto/signature.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { transactionOnce } from '../../../service/repeats.ts';
import type { QuorumMemberRow } from '../../../platform/store/tables/quorum.ts';
import { isInsider, memberOf } from '../access.ts';
import { record } from '../audit/record.ts';
import type { Affected } from '../documents/holders.ts';
import { stopTelling } from '../events/membership.ts';
import { memberNotFound, proposalRequired, wrongSignature } from '../problems.ts';
import { endSessionsOf } from '../sessions/ending.ts';
import { holdEpoch } from './epochs.ts';
import { accountToLink, forgetUnverified, unverifiedLinks, type UnverifiedLink } from './linking.ts';
import { admit, dismiss } from './membership.ts';

const administrators = { any: ['admin'] } as const;

export async function addMember(
  ctx: Context,
  actor: Actor,
  { name, email, role, publicKey, accountId }: InputOf<typeof quorumMembers.addMember>,
): Promise<{ member: QuorumMember; mnemonic?: string }> {
  requireRole(actor, administrators);
  const made = publicKey === undefined ? await newKey(ctx) : { publicKey: knownKey(publicKey) };
  return await transactionOnce(ctx, async (tx) => {
    const from = await holdEpoch(tx);
    if (from.mode !== 'bootstrap') throw proposalRequired('ADD_MEMBER');
    const link = await accountToLink(tx, { publicKey: made.publicKey, accountId, email });
    const candidate = { publicKey: made.publicKey, name, email, role, accountId: link?.account.id };
    const { row, epoch, changed } = await admit(tx, from, candidate, null);
    const details = { memberId: row.id, epoch: epoch.number, ...(link && { linkedBy: link.linkedBy }) };
    const event = { action: 'MEMBER_ADDED', subject: `member/${row.id}`, details };
    await record(tx, actor.memberId, event, changed);
    return { member: shown(row, true, []), ...('mnemonic' in made && { mnemonic: made.mnemonic }) };
  });
}

async function newKey(ctx: Context): Promise<{ publicKey: string; mnemonic: string }> {
  const mnemonic = generateMnemonic(24, ctx.random);
  const { privateKey, publicKey } = deriveIdentity(await mnemonicToSeed(mnemonic));
  privateKey.fill(0);
  return { publicKey: toHex(publicKey), mnemonic };
}

/** @throws Problem invalid VALIDATION_ERROR */
export function knownKey(publicKey: string, field = 'publicKey'): string {
  try {
    return toHex(compressPublicKey(fromHex(publicKey)));
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause;
    throw fieldProblem(field, 'is not a public key on secp256k1', { cause });
  }
}

export async function removeMember(
  ctx: Context,
  actor: Actor,
  { memberId }: { memberId: string },
): Promise<{ success: true; memberId: string; documents: { holdersChanged: number; outOfReach: string[] } }> {
  requireRole(actor, administrators);
  return await transaction(ctx, async (tx) => {
    const from = await holdEpoch(tx);
    if (from.mode !== 'bootstrap') throw proposalRequired('REMOVE_MEMBER');
    const { epoch, changed, documents } = await dismiss(tx, actor.memberId, from, memberId, null);
    const details = { memberId, epoch: epoch.number, ...counted(documents) };
    await record(tx, actor.memberId, { action: 'MEMBER_REMOVED', subject: `member/${memberId}`, details }, changed);
    return { success: true as const, memberId, documents };
  });
}

/** Numbers alone: a list of documents could be too long for an entry. */
export function counted({ holdersChanged, outOfReach }: Affected): { holdersChanged: number; outOfReach: number } {
  return { holdersChanged, outOfReach: outOfReach.length };
}

export async function listMembers(ctx: Context, actor: Actor): Promise<{ members: QuorumMember[] }> {
  const own = await memberOf(ctx, actor);
  const rows = await ctx.db
    .selectFrom('quorum_members')
    .selectAll()
    .where('active', '=', 1)
    .orderBy('name')
    .orderBy('id')
    .limit(quorumLimits.members)
    .execute();
  const unverified = await unverifiedLinks(ctx);
  return { members: rows.map((row) => shown(row, isInsider(actor, own), unverified)) };
}

export async function showMember(
  ctx: Context,
  actor: Actor,
  { memberId }: { memberId: string },
): Promise<{ member: QuorumMember }> {
  const own = await memberOf(ctx, actor);
  const row = await ctx.db.selectFrom('quorum_members').selectAll().where('id', '=', memberId).executeTakeFirst();
  const whole = isInsider(actor, own);
  // To others a former member never was one.
  if (row === undefined || (row.active === 0 && !whole)) throw memberNotFound(memberId);
  return { member: shown(row, whole, await unverifiedLinks(ctx)) };
}

/** Links the account of the actor to a member of the quorum, who proves by a signature to be the same person. */
export async function linkMember(
  ctx: Context,
  actor: Actor,
  { memberId, signature }: { memberId: string; signature: string },
): Promise<{ member: QuorumMember }> {
  return await transaction(ctx, async (tx) => {
    await holdEpoch(tx);
    const row = await tx.db
      .selectFrom('quorum_members')
      .selectAll()
      .where('id', '=', memberId)
      .where('active', '=', 1)
      .executeTakeFirst();
    if (row === undefined) throw memberNotFound(memberId);
    const statement = linkStatement({ nodeId: tx.keys.nodeId, memberId, accountId: actor.memberId });
    if (!verify(fromHex(row.public_key), statement, fromHex(signature))) throw wrongSignature();
    const other = await memberOf(tx, actor);
    if (other !== undefined && other.id !== memberId)
      throw new Problem('conflict', 'QUORUM_MEMBER_EXISTS', `Your account is linked to the member ${other.id}.`);
    if (other !== undefined) return { member: await proven(tx, actor, row) };
    const linked = { ...row, account_id: actor.memberId, updated_at: tx.clock.now() };
    const { account_id, updated_at } = linked;
    await tx.db.updateTable('quorum_members').set({ account_id, updated_at }).where('id', '=', memberId).execute();
    // The account that was linked before is no member any more.
    await stopTelling(tx, row.account_id);
    if (row.account_id !== null)
      await endSessionsOf(tx, actor.memberId, { requesterId: row.account_id }, 'MEMBER_LINKED');
    await record(
      tx,
      actor.memberId,
      { action: 'MEMBER_LINKED', subject: `member/${memberId}`, details: { memberId, accountId: actor.memberId } },
      [['quorum_members', memberId]],
    );
    await forgetUnverified(tx, memberId);
    return { member: shown(linked, true, []) };
  });
}

/**
 * A signature for the account that is linked already: it takes the place of an e-mail address that nobody verified. The key of the account
 * itself proves nothing that was in doubt.
 */
async function proven(tx: Context, actor: Actor, row: QuorumMemberRow): Promise<QuorumMember> {
  const doubtful = (await unverifiedLinks(tx)).filter(({ memberId }) => memberId === row.id);
  if (doubtful.length === 0 || row.id === actor.memberId) return shown(row, true, doubtful);
  await forgetUnverified(tx, row.id);
  const details = { memberId: row.id, accountId: actor.memberId };
  await record(tx, actor.memberId, { action: 'MEMBER_LINKED', subject: `member/${row.id}`, details }, []);
  return shown(row, true, []);
}

/**
 * @param whole with what is for insiders: the e-mail address, and whether nobody verified the one that made the link
 * @param unverified may have links of others
 */
function shown(row: QuorumMemberRow, whole: boolean, unverified: readonly UnverifiedLink[]): QuorumMember {
  return {
    id: row.id,
    publicKey: row.public_key,
    metadata: {
      name: row.name,
      ...(whole && row.email !== null && { email: row.email }),
      ...(row.role !== null && { role: row.role }),
    },
    isActive: row.active === 1,
    ...(row.account_id !== null && { accountId: row.account_id }),
    ...(whole && unverified.some(({ memberId }) => memberId === row.id) && { linkUnverified: true as const }),
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}
