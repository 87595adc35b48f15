import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { constantTimeEqual, fromHex } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { eciesDecrypt } from '../../../crypto/ecies.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { keepOpen } from '../vaults/access.ts';
import { record } from '../vaults/audit.ts';
import { hashOfShare, holdEpoch, prepareRenewal, renew } from './emergency-epoch.ts';
import { joinShares, shareContext, unwrapFromEmergency } from './emergency-key.ts';
import { checkHeader } from '../vaults/header.ts';
import { publicKeysOf } from '../../../shared/members/public-keys.ts';
import { leaveNotice } from '../sharing/notices.ts';
import { vaultNotFound } from '../problems.ts';
import { wrapForRecipient } from '../sharing/recipient-key.ts';
import { nameSealer } from '../vaults/sealing.ts';

export interface GivenShare {
  readonly trusteeId: string;
  /** hex, encrypted to the key of the node */
  readonly encryptedShare: string;
}

/**
 * Opens a vault with shares of its trustees. The actor becomes a member of the vault. The owner can set a new master password.
 * @throws Problem missing VAULT_NOT_FOUND for an actor who is neither member nor trustee, invalid INSUFFICIENT_SHARES or INVALID_SHARE
 */
export async function emergencyRecover(
  ctx: Context,
  actor: Actor,
  { vaultId, shares }: { vaultId: string; shares: GivenShare[] },
) {
  const vault = await concernOf(ctx, actor, vaultId);
  const { epoch, threshold, wrapped_key: wrapped, key_version: keyVersion, owner_id: ownerId } = vault;
  if (epoch === null || threshold === null || wrapped === null)
    throw insufficient('This vault has no emergency access.');
  const trustees = await trusteesOf(ctx, vaultId, shares);
  if (shares.length < threshold) throw insufficient(`${threshold} shares are needed.`);
  const dataKey = await recoverKey(ctx, { ...vault, epoch, threshold, wrapped_key: wrapped }, shares, trustees);
  const [self] = await publicKeysOf(ctx, [actor.memberId]);
  if (self === undefined) throw vaultNotFound();
  const shared = ownerId === actor.memberId ? undefined : wrapForRecipient(ctx, vaultId, self, dataKey);
  const next = await prepareRenewal(ctx, { id: vaultId, dataKey });
  const name = nameSealer(ctx).open(vaultId, vault.name);
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    const held = await holdEpoch(tx, vaultId);
    const now = await concernOf(tx, actor, vaultId);
    if (held !== epoch || now.key_version !== keyVersion || now.epoch !== epoch) throw invalidShare();
    await trusteesOf(tx, vaultId, shares);
    const request = { vaultId, ownerId, memberId: actor.memberId, epoch };
    const availableAt = await waitUntil(tx, actor, request);
    if (availableAt !== undefined) return { vault: { id: vaultId, name, recovered: false, availableAt } };
    const change = await renew(tx, actor, vaultId, next);
    if (change === undefined || change === 'none') throw invalidShare();
    if (shared !== undefined) await join(tx, vaultId, actor.memberId, shared);
    // The vault key is missing, because only the master password opens it. This marks a recovered vault.
    await keepOpen(tx, actor, vaultId, { dataKey, keyVersion, vaultKey: undefined });
    await record(tx, actor, vaultId, 'EMERGENCY_RECOVERED', { epoch, shares: shares.length });
    await leaveNotice(tx, { ...request, kind: 'RECOVERED' });
    const told = ownerId === actor.memberId ? { emergencyAccess: change } : {};
    return { vault: { id: vaultId, name, recovered: true }, ...told };
  });
}

/** For members without access, the lookups are the same as for a vault that doesn't exist. */
async function concernOf(ctx: Context, actor: Actor, vaultId: string) {
  const concerned = await ctx.db
    .selectFrom('passvault_members')
    .select('vault_id')
    .where('vault_id', '=', vaultId)
    .where('member_id', '=', actor.memberId)
    .unionAll(
      ctx.db
        .selectFrom('passvault_trustees')
        .select('vault_id')
        .where('vault_id', '=', vaultId)
        .where('trustee_id', '=', actor.memberId),
    )
    .executeTakeFirst();
  if (concerned === undefined) throw vaultNotFound();
  return await ctx.db
    .selectFrom('passvault_vaults as v')
    .leftJoin('passvault_emergency as e', 'e.vault_id', 'v.id')
    .select(['v.id', 'v.name', 'v.owner_id', 'v.key_version', 'v.header', 'e.epoch', 'e.threshold', 'e.wrapped_key'])
    .where('v.id', '=', vaultId)
    .executeTakeFirstOrThrow();
}

interface RecoveryRequest {
  readonly vaultId: string;
  readonly ownerId: string;
  readonly memberId: string;
  readonly epoch: number;
}

/**
 * Applies the waiting period. The first request of a member other than the owner is only recorded for the owner. Only a request after
 * the end of the period continues. The owner doesn't wait.
 * @returns the end of the waiting period, ISO 8601; undefined if the recovery may continue now
 */
async function waitUntil(tx: Context, actor: Actor, request: RecoveryRequest): Promise<string | undefined> {
  const { emergencyWaitMs: wait } = tx.config.vaults;
  if (wait === 0 || request.ownerId === request.memberId) return undefined;
  const now = tx.clock.now();
  const waiting = await tx.db
    .selectFrom('passvault_notices')
    .select('ends_at')
    .where('vault_id', '=', request.vaultId)
    .where('member_id', '=', request.memberId)
    .where('kind', '=', 'RECOVERY_REQUESTED')
    .where('epoch', '=', request.epoch)
    .executeTakeFirst();
  const endsAt = waiting?.ends_at ?? now + wait;
  if (waiting !== undefined) return endsAt <= now ? undefined : new Date(endsAt).toISOString();
  await leaveNotice(tx, { ...request, kind: 'RECOVERY_REQUESTED', endsAt });
  await record(tx, actor, request.vaultId, 'EMERGENCY_REQUESTED', {
    epoch: request.epoch,
    endsAt: new Date(endsAt).toISOString(),
  });
  return new Date(endsAt).toISOString();
}

/** For each trustee whose share was given, the hash that identifies the share; null if it isn't known. */
async function trusteesOf(
  ctx: Context,
  vaultId: string,
  shares: readonly GivenShare[],
): Promise<Map<string, Uint8Array | null>> {
  const rows = await ctx.db
    .selectFrom('passvault_trustees as t')
    .innerJoin('members as m', 'm.id', 't.trustee_id')
    .select(['t.trustee_id', 't.share_hash'])
    .where('t.vault_id', '=', vaultId)
    // Shares of suspended trustees do not count, even if somebody else submits them.
    .where('m.status', '=', 'active')
    .execute();
  const trustees = new Map(rows.map((row) => [row.trustee_id, row.share_hash]));
  const seen = new Set<string>();
  for (const [at, { trusteeId }] of shares.entries()) {
    if (!trustees.has(trusteeId)) throw fieldProblem(`shares.${at}.trusteeId`, 'is not a trustee of this vault');
    if (seen.has(trusteeId)) throw fieldProblem(`shares.${at}.trusteeId`, 'is named twice');
    seen.add(trusteeId);
  }
  return trustees;
}

interface Configured {
  readonly id: string;
  readonly key_version: number;
  readonly header: Uint8Array;
  readonly epoch: number;
  readonly threshold: number;
  readonly wrapped_key: Uint8Array;
}

/** The header of the vault decides whether the shares were right. */
async function recoverKey(
  ctx: Context,
  vault: Configured,
  shares: readonly GivenShare[],
  trustees: ReadonlyMap<string, Uint8Array | null>,
): Promise<Uint8Array> {
  const { id, epoch, threshold } = vault;
  try {
    const bare = shares.map(({ trusteeId, encryptedShare }) => {
      const context = shareContext('recovery', id, epoch, trusteeId);
      const share = eciesDecrypt(ctx.keys.identity.privateKey, fromHex(encryptedShare), context);
      const hash = trustees.get(trusteeId) ?? undefined;
      // This is the share of a former trustee, submitted under the name of a present one.
      if (hash !== undefined && !constantTimeEqual(hash, hashOfShare(share)))
        throw new CryptoError('share is of another trustee');
      return share;
    });
    const privateKey = await joinShares(bare, epoch, threshold);
    const dataKey = unwrapFromEmergency(id, epoch, privateKey, vault.wrapped_key);
    checkHeader(dataKey, vault.key_version, id, vault.header);
    return dataKey;
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    throw invalidShare();
  }
}

async function join(tx: Context, vaultId: string, memberId: string, wrapped: Uint8Array): Promise<void> {
  await tx.db
    .insertInto('passvault_members')
    .values({
      vault_id: vaultId,
      member_id: memberId,
      role: 'recipient',
      wrapped_key: wrapped,
      added_at: tx.clock.now(),
    })
    .onConflict((conflict) => conflict.columns(['vault_id', 'member_id']).doUpdateSet({ wrapped_key: wrapped }))
    .execute();
}

function insufficient(message: string): Problem {
  return new Problem('invalid', 'INSUFFICIENT_SHARES', message);
}

function invalidShare(): Problem {
  return new Problem(
    'invalid',
    'INVALID_SHARE',
    'The shares do not open the vault. One of them is damaged or outdated, or belongs to another vault or trustee. Ask the trustees for new ones.',
  );
}
