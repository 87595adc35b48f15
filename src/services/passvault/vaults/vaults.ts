import { assertStrongPassword } from '../../../shared/members/password-rules.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { VaultSummary, PropertyRecord, VaultMetadata } from '../../../contract/passvault/entry.ts';
import { generateMnemonic, mnemonicToSeed } from '../../../crypto/mnemonic.ts';
import { earlierReply, once } from '../../../service/repeats.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { keepOpen, requireOwner, close, roleIn, type VaultKeys, openingOf } from './access.ts';
import { record } from './audit.ts';
import { sealHeader } from './header.ts';
import { claimVaultName, nameTaken } from './names.ts';
import { nameSealer, wrapSeed } from './sealing.ts';
import { summaryOf, summaries, metadataOf } from '../entries/summaries.ts';
import { newMaster, wrapDataKey, openMaster, unwrapDataKey } from './vault-key.ts';
import type { Next, PageRequest } from '../../../platform/store/page.ts';
import { readProperties } from './pages.ts';
import { vaultNotFound, wrongPassword } from '../problems.ts';
import { recordOf } from './properties.ts';
import { openAsRecipient } from '../sharing/recipient-key.ts';
import { dropSecretOfAll } from '../../../shared/members/session-secrets.ts';
import { freeStorage } from '../../../shared/members/storage.ts';
import { dropBlocks } from '../../../shared/attachments/blocks.ts';
import { vaultRow } from './master-password.ts';

const DATA_KEY_LENGTH = 32;
const SEED_WORDS = 24;

/** Makes a vault that opens only with the master password and this node together. It is open for the session that made it. */
export async function createVault(
  ctx: Context,
  actor: Actor,
  input: { name: string; masterPassword: string },
): Promise<{ vault: VaultSummary }> {
  // Every member may create vaults. A repeated request does not hash the password again.
  const before = await earlierReply(ctx);
  if (before !== undefined) return before.reply as { vault: VaultSummary };
  await assertStrongPassword('masterPassword', input.masterPassword, [actor.username]);
  const now = ctx.clock.now();
  const id = recordId(now, ctx.random);
  const seed = await mnemonicToSeed(generateMnemonic(SEED_WORDS, ctx.random));
  const { columns, vaultKey } = await newMaster(ctx, id, seed, input.masterPassword);
  const dataKey = ctx.random(DATA_KEY_LENGTH);
  const keys = { dataKey, keyVersion: 1, vaultKey };
  const row = {
    id,
    owner_id: actor.memberId,
    name: nameSealer(ctx).seal(id, input.name),
    ...columns,
    wrapped_seed: wrapSeed(ctx, id, seed),
    wrapped_key: wrapDataKey(ctx, id, 1, vaultKey, dataKey),
    key_version: 1,
    header: sealHeader(ctx, dataKey, 1, { vaultId: id, ownerId: actor.memberId, createdAt: now }),
    entry_count: 0,
    emergency_epoch: 0,
    created_at: now,
    updated_at: now,
  };
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    return await once(tx, async () => {
      const name_key = await claimVaultName(tx, actor.memberId, id, input.name);
      await tx.db
        .insertInto('passvault_vaults')
        .values({ ...row, name_key })
        .execute();
      await tx.db
        .insertInto('passvault_members')
        .values({ vault_id: id, member_id: actor.memberId, role: 'owner', wrapped_key: null, added_at: now })
        .execute();
      await keepOpen(tx, actor, id, keys);
      await record(tx, actor, id, 'VAULT_CREATED');
      return { vault: await summaryOf(tx, actor, id) };
    });
  }).catch(nameTaken);
}

export async function listVaults(
  ctx: Context,
  actor: Actor,
  { limit, cursor }: PageRequest,
): Promise<{ vaults: VaultSummary[] } & Next> {
  return await summaries(ctx, actor, { limit, cursor });
}

export async function renameVault(
  ctx: Context,
  actor: Actor,
  { vaultId, name }: { vaultId: string; name: string },
): Promise<{ vault: VaultSummary }> {
  return await transaction(ctx, async (tx) => {
    await requireOwner(tx, actor, vaultId);
    const name_key = await claimVaultName(tx, actor.memberId, vaultId, name);
    await tx.db
      .updateTable('passvault_vaults')
      .set({ name: nameSealer(tx).seal(vaultId, name), name_key, updated_at: tx.clock.now() })
      .where('id', '=', vaultId)
      .execute();
    await record(tx, actor, vaultId, 'VAULT_RENAMED');
    return { vault: await summaryOf(tx, actor, vaultId) };
  }).catch(nameTaken);
}

export interface Opened {
  vault: { metadata: VaultMetadata; propertyRecords: PropertyRecord[] };
}

/** How often opening starts over because the vault was encrypted again, or its password changed, meanwhile. */
const ATTEMPTS = 4;

/** @throws Problem missing VAULT_NOT_FOUND, unauthenticated INVALID_MASTER_PASSWORD */
export async function openVault(
  ctx: Context,
  actor: Actor,
  { vaultId, masterPassword }: { vaultId: string; masterPassword: string },
): Promise<Opened> {
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const seen = await lockOf(ctx, actor, vaultId);
    const keys = await unlock(ctx, actor, seen, masterPassword);
    if (keys === undefined) throw wrongPassword();
    const opened = await transaction(ctx, async (tx) => {
      const now = await lockOf(tx, actor, vaultId);
      if (now.key_version !== seen.key_version || now.password_hash !== seen.password_hash) return undefined;
      await assertStillSignedIn(tx, actor);
      await keepOpen(tx, actor, vaultId, keys);
      await record(tx, actor, vaultId, 'VAULT_OPENED');
      return await metadataOf(tx, actor, vaultId);
    });
    if (opened === undefined) continue;
    const records = await readProperties(ctx, { id: vaultId, dataKey: keys.dataKey });
    return { vault: { metadata: opened, propertyRecords: records.map(recordOf) } };
  }
  throw wrongPassword();
}

export async function lockVault(
  ctx: Context,
  actor: Actor,
  { vaultId }: { vaultId: string },
): Promise<{ locked: true }> {
  return await transaction(ctx, async (tx) => {
    await roleIn(tx, actor, vaultId);
    await close(tx, actor, vaultId);
    return { locked: true };
  });
}

async function lockOf(ctx: Context, actor: Actor, vaultId: string) {
  const row = await ctx.db
    .selectFrom('passvault_members as m')
    .innerJoin('passvault_vaults as v', 'v.id', 'm.vault_id')
    .select(['m.role', 'm.wrapped_key as shared_key', 'v.id', 'v.key_version', 'v.wrapped_key', 'v.wrapped_seed'])
    .select(['v.password_hash', 'v.argon2_salt', 'v.memory_kib', 'v.passes', 'v.lanes'])
    .where('m.vault_id', '=', vaultId)
    .where('m.member_id', '=', actor.memberId)
    .executeTakeFirst();
  if (row === undefined) throw vaultNotFound();
  return row;
}

async function unlock(
  ctx: Context,
  actor: Actor,
  lock: Awaited<ReturnType<typeof lockOf>>,
  password: string,
): Promise<VaultKeys | undefined> {
  const keyVersion = lock.key_version;
  if (lock.shared_key !== null) {
    const dataKey = await openAsRecipient(ctx, actor, lock.id, lock.shared_key, password);
    return dataKey === undefined ? undefined : { dataKey, keyVersion, vaultKey: undefined };
  }
  const vaultKey = await openMaster(ctx, lock, password);
  return vaultKey === undefined ? undefined : { dataKey: unwrapDataKey(lock, vaultKey), keyVersion, vaultKey };
}

/** Deletes entries, attachments and keys. The audit log of the vault stays. */
export async function deleteVault(
  ctx: Context,
  actor: Actor,
  { vaultId, masterPassword }: { vaultId: string; masterPassword: string },
): Promise<{ deleted: true }> {
  await requireOwner(ctx, actor, vaultId);
  const vault = await vaultRow(ctx, vaultId);
  if ((await openMaster(ctx, vault, masterPassword)) === undefined) throw wrongPassword();
  await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await requireOwner(tx, actor, vaultId);
    const blocks = await tx.db
      .selectFrom('passvault_attachments')
      .select(['block_id', 'size_bytes'])
      .where('vault_id', '=', vaultId)
      .execute();
    await record(tx, actor, vaultId, 'VAULT_DELETED');
    const deleted = await tx.db
      .deleteFrom('passvault_vaults')
      .where('id', '=', vaultId)
      .where('password_hash', '=', vault.password_hash)
      .executeTakeFirst();
    if (deleted.numDeletedRows === 0n) throw wrongPassword();
    await freeStorage(
      tx,
      actor.memberId,
      blocks.reduce((sum, row) => sum + row.size_bytes, 0),
    );
    await dropSecretOfAll(tx, openingOf(vaultId));
    await dropBlocks(
      tx,
      blocks.map((row) => row.block_id),
    );
  });
  return { deleted: true };
}
