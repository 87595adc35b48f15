import { findMemberKey } from '../../../shared/members/session-key.ts';
import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { eciesDecrypt, eciesEncrypt } from '../../../crypto/ecies.ts';
import { assertSameKey, openOwnVault } from '../vaults/access.ts';
import { record } from '../vaults/audit.ts';
import { applyEpoch, emergencyOf, prepareEpoch } from './emergency-epoch.ts';
import { shareContext } from './emergency-key.ts';
import { activeMembersNamed } from '../sharing/named-members.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { vaultNotFound } from '../problems.ts';
import { nameSealer } from '../vaults/sealing.ts';

/** Gives each trustee a share of a new key pair. Shares of an earlier configuration become useless. */
export async function configureEmergencyAccess(
  ctx: Context,
  actor: Actor,
  { vaultId, threshold, trustees }: { vaultId: string; threshold: number; trustees: string[] },
) {
  const vault = await openOwnVault(ctx, actor, vaultId);
  if (threshold > trustees.length) throw fieldProblem('threshold', 'must be at most the number of trustees');
  const members = await activeMembersNamed(ctx, 'trustees', trustees);
  const ids = members.map(({ memberId }) => memberId);
  if (ids.includes(actor.memberId)) throw fieldProblem('trustees', 'must not name the owner');
  const { epoch: from } = await emergencyOf(ctx, vaultId);
  const next = await prepareEpoch(ctx, vault, from, threshold, members);
  const totalShares = ids.length;
  const epoch = from + 1;
  await transaction(ctx, async (tx) => {
    await assertSameKey(tx, actor, vault);
    if ((await applyEpoch(tx, vaultId, next)) === undefined)
      throw fieldProblem('trustees', 'were configured by another request at the same time');
    await record(tx, actor, vaultId, 'EMERGENCY_CONFIGURED', { epoch, threshold, totalShares });
  });
  return { configured: true as const, threshold, totalShares, trustees: ids, epoch };
}

/** A trustee's own share. Nobody else learns that this share exists. */
export async function emergencyShare(ctx: Context, actor: Actor, { vaultId }: { vaultId: string }) {
  return await transaction(ctx, async (tx) => {
    const row = await tx.db
      .selectFrom('passvault_trustees as t')
      .innerJoin('passvault_emergency as e', 'e.vault_id', 't.vault_id')
      .innerJoin('passvault_vaults as v', 'v.id', 't.vault_id')
      .select(['t.epoch', 't.encrypted_share', 'e.threshold', 'v.name', 'v.owner_id'])
      .select((e) =>
        e
          .selectFrom('passvault_trustees as all')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('all.vault_id', '=', vaultId)
          .as('total'),
      )
      .where('t.vault_id', '=', vaultId)
      .where('t.trustee_id', '=', actor.memberId)
      .executeTakeFirst();
    if (row === undefined) throw vaultNotFound();
    await tx.db
      .updateTable('passvault_trustees')
      .set({ read_at: tx.clock.now() })
      .where('vault_id', '=', vaultId)
      .where('trustee_id', '=', actor.memberId)
      .where('read_at', 'is', null)
      .execute();
    await record(tx, actor, vaultId, 'EMERGENCY_SHARE_READ', { epoch: row.epoch });
    const recoveryShare = await forTheNode(tx, actor, vaultId, row.epoch, row.encrypted_share);
    return {
      share: {
        vaultId,
        vaultName: nameSealer(tx).open(vaultId, row.name),
        ownerId: row.owner_id,
        trusteeId: actor.memberId,
        epoch: row.epoch,
        threshold: row.threshold,
        totalShares: Number(row.total),
        encryptedShare: toHex(row.encrypted_share),
        nodePublicKey: toHex(tx.keys.identity.publicKey),
        ...(recoveryShare !== undefined && { recoveryShare: toHex(recoveryShare) }),
      },
    };
  });
}

/** Encrypts the share to the node, as a trustee could do on their own machine. The session must hold the trustee's private key. */
async function forTheNode(
  ctx: Context,
  actor: Actor,
  vaultId: string,
  epoch: number,
  sealed: Uint8Array,
): Promise<Uint8Array | undefined> {
  const privateKey = await findMemberKey(ctx, actor);
  if (privateKey === undefined) return undefined;
  const share = eciesDecrypt(privateKey, sealed, shareContext('share', vaultId, epoch, actor.memberId));
  privateKey.fill(0);
  const context = shareContext('recovery', vaultId, epoch, actor.memberId);
  return eciesEncrypt(ctx.keys.identity.publicKey, share, context, 'basic', ctx.random);
}
