import { assertStrongPassword } from '../../../members/password-rules.ts';
import { assertStillSignedIn } from '../../../members/still-signed-in.ts';
import type { Actor } from '../../../actor.ts';
import { transaction, type Context } from '../../../context.ts';
import type { VaultSummary } from '../../../contract/passvault/entry.ts';
import { generateMnemonic, mnemonicToSeed } from '../../../crypto/mnemonic.ts';
import { earlierReply, once } from '../../../repeats.ts';
import { recordId } from '../../../store/record-id.ts';
import { keepOpen } from './access.ts';
import { record } from './audit.ts';
import { sealHeader } from './header.ts';
import { claimVaultName, nameTaken } from './names.ts';
import { nameSealer, wrapSeed } from './sealing.ts';
import { summaryOf } from '../entries/summaries.ts';
import { newMaster, wrapDataKey } from './vault-key.ts';

const DATA_KEY_LENGTH = 32;
const SEED_WORDS = 24;

/** Makes a vault that only the master password and this node together open. It is open for the session that made it. */
export async function createVault(
  ctx: Context,
  actor: Actor,
  input: { name: string; masterPassword: string },
): Promise<{ vault: VaultSummary }> {
  // Who is signed in may make vaults; a repeat doesn't stretch the password again.
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
