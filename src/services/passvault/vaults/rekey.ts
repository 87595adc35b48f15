import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { publicKeysOf } from '../../../shared/members/public-keys.ts';
import { dropSecretOfAll } from '../../../shared/members/session-secrets.ts';
import { keepOpen, openingOf, type OpenVault } from './access.ts';
import { getContent, putContent } from '../entries/attachment-blocks.ts';
import { dropBlocks, keepBlocks } from '../../../shared/attachments/blocks.ts';
import type { EmergencyChange } from '../../../contract/passvault/emergency.ts';
import { prepareRenewal, renew, type NextEpoch } from '../emergency/emergency-epoch.ts';
import { attachmentsOf, openEntries, sealEntry, sealNames, type KeptAttachment } from '../entries/entry-rows.ts';
import { sealHeader } from './header.ts';
import { openPage, sealPage } from './pages.ts';
import { wrapForRecipient } from '../sharing/recipient-key.ts';
import { wrapDataKey } from './vault-key.ts';

/** An owner's open vault. */
export type OwnVault = OpenVault & { readonly vaultKey: Uint8Array };

/** The slow part of a change of the data key. It is prepared before the transaction. */
export interface Rekeying {
  readonly old: OwnVault;
  readonly dataKey: Uint8Array;
  readonly keyVersion: number;
  /** the data key for each member who keeps the vault */
  readonly wraps: ReadonlyMap<string, Uint8Array>;
  /** new shares for the trustees */
  readonly emergency: NextEpoch;
  /** the new block of each attachment */
  readonly blocks: ReadonlyMap<string, { readonly from: string; readonly to: string }>;
}

/** @param without a member who loses the vault, and stops being its trustee */
export async function prepareRekeying(ctx: Context, old: OwnVault, without: string): Promise<Rekeying> {
  const dataKey = ctx.random(old.dataKey.length);
  const wraps = new Map<string, Uint8Array>();
  const stay = (await recipientsOf(ctx, old.id)).filter((memberId) => memberId !== without);
  for (const to of await publicKeysOf(ctx, stay)) wraps.set(to.memberId, wrapForRecipient(ctx, old.id, to, dataKey));
  const blocks = new Map<string, { from: string; to: string }>();
  for (const attachment of await attachmentsOf(ctx, old)) {
    const bytes = await getContent(ctx, old, attachment, attachment.blockId);
    const to = await putContent(ctx, { id: old.id, dataKey }, attachment, bytes);
    blocks.set(attachment.id, { from: attachment.blockId, to });
  }
  const emergency = await prepareRenewal(ctx, { id: old.id, dataKey }, without);
  return { old, dataKey, keyVersion: old.keyVersion + 1, wraps, emergency, blocks };
}

/**
 * Encrypts everything in a vault with the new data key. The vault closes for everybody but the actor.
 * @returns the result for emergency access; undefined if members, trustees or attachments changed since the preparation, and then the
 *   caller must roll back the transaction
 */
export async function applyRekeying(
  tx: Context,
  actor: Actor,
  rekeying: Rekeying,
): Promise<EmergencyChange | 'none' | undefined> {
  const { old, dataKey, keyVersion, wraps, blocks } = rekeying;
  const attachments = await attachmentsOf(tx, old);
  const members = await recipientsOf(tx, old.id);
  if (members.length !== wraps.size || !members.every((memberId) => wraps.has(memberId))) return undefined;
  if (attachments.length !== blocks.size || !attachments.every((one) => blocks.get(one.id)?.from === one.blockId))
    return undefined;
  const emergency = await renew(tx, actor, old.id, rekeying.emergency);
  if (emergency === undefined) return undefined;
  for (const [memberId, wrapped_key] of wraps) {
    await tx.db
      .updateTable('passvault_members')
      .set({ wrapped_key })
      .where('vault_id', '=', old.id)
      .where('member_id', '=', memberId)
      .execute();
  }
  const next = { id: old.id, dataKey };
  await resealEntries(tx, old, dataKey);
  await resealPages(tx, old, dataKey);
  for (const attachment of attachments) await resealAttachment(tx, next, attachment, blocks.get(attachment.id)?.to);
  await resealVault(tx, rekeying);
  await dropSecretOfAll(tx, openingOf(old.id));
  await keepOpen(tx, actor, old.id, { dataKey, keyVersion, vaultKey: old.vaultKey });
  const moved = [...blocks.values()];
  await keepBlocks(
    tx,
    moved.map((block) => block.to),
  );
  await dropBlocks(
    tx,
    moved.map((block) => block.from),
  );
  return emergency;
}

async function recipientsOf(ctx: Context, vaultId: string): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('passvault_members')
    .select('member_id')
    .where('vault_id', '=', vaultId)
    .where('role', '=', 'recipient')
    .execute();
  return rows.map((row) => row.member_id);
}

async function resealVault(tx: Context, { old, dataKey, keyVersion }: Rekeying): Promise<void> {
  const { owner_id: ownerId, created_at: createdAt } = await tx.db
    .selectFrom('passvault_vaults')
    .select(['owner_id', 'created_at'])
    .where('id', '=', old.id)
    .executeTakeFirstOrThrow();
  await tx.db
    .updateTable('passvault_vaults')
    .set({
      key_version: keyVersion,
      wrapped_key: wrapDataKey(tx, old.id, keyVersion, old.vaultKey, dataKey),
      header: sealHeader(tx, dataKey, keyVersion, { vaultId: old.id, ownerId, createdAt }),
      updated_at: tx.clock.now(),
    })
    .where('id', '=', old.id)
    .execute();
}

/** Rows for each statement. On PostgreSQL each statement is a network round trip. */
const ROWS_AT_ONCE = 250;

async function resealEntries(tx: Context, old: OpenVault, dataKey: Uint8Array): Promise<void> {
  const next = { id: old.id, dataKey };
  for await (const opened of openEntries(tx, old)) {
    for (let at = 0; at < opened.length; at += ROWS_AT_ONCE) {
      const rows = opened
        .slice(at, at + ROWS_AT_ONCE)
        .map(({ row, block }) => Object.assign(row, { sealed: sealEntry(tx, next, row.id, row.version, block) }));
      await tx.db
        .insertInto('passvault_entries')
        .values(rows)
        .onConflict((conflict) => conflict.column('id').doUpdateSet((e) => ({ sealed: e.ref('excluded.sealed') })))
        .execute();
    }
  }
}

async function resealPages(tx: Context, old: OpenVault, dataKey: Uint8Array): Promise<void> {
  const rows = await tx.db.selectFrom('passvault_pages').selectAll().where('vault_id', '=', old.id).execute();
  for (const row of rows) {
    const sealed = sealPage(tx, { id: old.id, dataKey }, row.page, row.version, openPage(old, row));
    await tx.db
      .updateTable('passvault_pages')
      .set({ sealed })
      .where('vault_id', '=', old.id)
      .where('page', '=', row.page)
      .execute();
  }
}

async function resealAttachment(
  tx: Context,
  next: { id: string; dataKey: Uint8Array },
  attachment: KeptAttachment,
  blockId = attachment.blockId,
): Promise<void> {
  await tx.db
    .updateTable('passvault_attachments')
    .set({ block_id: blockId, sealed: sealNames(tx, next, attachment, attachment) })
    .where('id', '=', attachment.id)
    .execute();
}
