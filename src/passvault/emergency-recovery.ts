import { assertStillSignedIn } from '../accounts/sessions.ts';
import type { Actor } from '../actor.ts';
import { transaction, type Context } from '../context.ts';
import { fromHex } from '../crypto/bytes.ts';
import { CryptoError } from '../crypto/crypto-error.ts';
import { eciesDecrypt } from '../crypto/ecies.ts';
import { Problem } from '../problem.ts';
import { keepOpen } from './access.ts';
import { record } from './audit.ts';
import { joinShares, shareContext, unwrapFromEmergency } from './emergency-key.ts';
import { checkHeader } from './header.ts';
import { membersOf } from './named-members.ts';
import { invalidField, vaultLocked, vaultNotFound } from './problems.ts';
import { wrapForRecipient } from './recipient-key.ts';
import { nameSealer } from './sealing.ts';

export interface GivenShare {
  readonly trusteeId: string;
  /** hex, to the key of the node */
  readonly encryptedShare: string;
}

/**
 * Opens a vault with shares of its trustees. Whoever recovers becomes a member of it; the owner can set a new master password.
 * @throws Problem missing VAULT_NOT_FOUND for whoever is neither member nor trustee, invalid INSUFFICIENT_SHARES or INVALID_SHARE
 */
export async function emergencyRecover(
  ctx: Context,
  actor: Actor,
  { vaultId, shares }: { vaultId: string; shares: GivenShare[] },
) {
  const vault = await concernOf(ctx, actor, vaultId);
  const { epoch, threshold, wrapped_key: wrapped } = vault;
  if (epoch === null || threshold === null || wrapped === null)
    throw insufficient('No emergency access is configured.');
  await assertTrustees(ctx, vaultId, shares);
  if (shares.length < threshold) throw insufficient(`${threshold} shares are needed.`);
  const dataKey = await recoverKey(ctx, { ...vault, epoch, threshold, wrapped_key: wrapped }, shares);
  const keyVersion = vault.key_version;
  const [self] = await membersOf(ctx, 'caller', [actor.memberId]);
  if (self === undefined) throw vaultNotFound();
  const shared = vault.owner_id === actor.memberId ? undefined : wrapForRecipient(ctx, vaultId, self, dataKey);
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    const now = await concernOf(tx, actor, vaultId);
    if (now.key_version !== keyVersion || now.epoch !== epoch) throw vaultLocked();
    if (shared !== undefined) await join(tx, vaultId, actor.memberId, shared);
    // Without the vault key, which only the master password gives: that is how a recovered vault is told apart.
    await keepOpen(tx, actor, vaultId, { dataKey, keyVersion, vaultKey: undefined });
    await record(tx, actor, vaultId, 'EMERGENCY_RECOVERED', { epoch, shares: shares.length });
    return { vault: { id: vaultId, name: nameSealer(tx).open(vaultId, vault.name), recovered: true as const } };
  });
}

/** Whoever the vault doesn't concern makes the same lookups as for one that doesn't exist. */
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

async function assertTrustees(ctx: Context, vaultId: string, shares: readonly GivenShare[]): Promise<void> {
  const rows = await ctx.db
    .selectFrom('passvault_trustees')
    .select('trustee_id')
    .where('vault_id', '=', vaultId)
    .execute();
  const trustees = new Set(rows.map((row) => row.trustee_id));
  const seen = new Set<string>();
  for (const [at, { trusteeId }] of shares.entries()) {
    if (!trustees.has(trusteeId)) throw invalidField(`shares.${at}.trusteeId`, 'is no trustee of this vault');
    if (seen.has(trusteeId)) throw invalidField(`shares.${at}.trusteeId`, 'is named twice');
    seen.add(trusteeId);
  }
}

interface Configured {
  readonly id: string;
  readonly key_version: number;
  readonly header: Uint8Array;
  readonly epoch: number;
  readonly threshold: number;
  readonly wrapped_key: Uint8Array;
}

/** The header of the vault has the last word on whether the shares were right. */
async function recoverKey(ctx: Context, vault: Configured, shares: readonly GivenShare[]): Promise<Uint8Array> {
  const { id, epoch, threshold } = vault;
  try {
    const bare = shares.map(({ trusteeId, encryptedShare }) =>
      eciesDecrypt(
        ctx.keys.identity.privateKey,
        fromHex(encryptedShare),
        shareContext('recovery', id, epoch, trusteeId),
      ),
    );
    const privateKey = await joinShares(bare, epoch, threshold);
    const dataKey = unwrapFromEmergency(id, epoch, privateKey, vault.wrapped_key);
    checkHeader(dataKey, vault.key_version, id, vault.header);
    return dataKey;
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    throw new Problem(
      'invalid',
      'INVALID_SHARE',
      'The shares do not open the vault: one of them is damaged, or of another vault, trustee or configuration.',
    );
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
