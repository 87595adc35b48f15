import { assertStorageLeft, freeStorage, takeStorage } from '../../../shared/members/storage.ts';
import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { Attachment } from '../../../contract/passvault/entry.ts';
import { Problem } from '../../../base/problem.ts';
import { earlierReply, once } from '../../../service/repeats.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { assertSameKey, openVault, ownerOf, type OpenVault } from '../vaults/access.ts';
import { getContent, putContent } from './attachment-blocks.ts';
import { record } from '../vaults/audit.ts';
import { base64Length, fromBase64, toBase64 } from '../../../shared/attachments/base64.ts';
import { dropBlocks, keepBlocks, withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import { countEntries } from './entries.ts';
import { attachmentOf, attachmentsOf, entryRow, sealNames, type KeptAttachment } from './entry-rows.ts';
import { assertFilenameFree } from '../vaults/names.ts';
import { attachmentNotFound } from '../problems.ts';
import { passvaultLimits } from '../../../contract/passvault/limits.ts';

interface OfEntry {
  readonly vaultId: string;
  readonly entryId: string;
}
interface OfAttachment extends OfEntry {
  readonly attachmentId: string;
}

/** The same limit as in the contract. */
const MAX_BYTES = passvaultLimits.attachmentBytes;

/** The content is written as a block before the transaction that refers to it. */
export async function addAttachment(
  ctx: Context,
  actor: Actor,
  input: OfEntry & { filename: string; mimeType: string; content: string },
): Promise<{ attachment: Attachment }> {
  const { vaultId, entryId, filename, mimeType } = input;
  const vault = await openVault(ctx, actor, vaultId);
  const before = await earlierReply(ctx);
  if (before !== undefined) return before.reply as { attachment: Attachment };
  await entryRow(ctx, vaultId, entryId);
  const bytes = fromBase64('content', input.content);
  if (bytes.length > MAX_BYTES)
    throw new Problem('tooLarge', 'PAYLOAD_TOO_LARGE', 'The attachment is larger than 25 MiB.');
  const ownerId = await ownerOf(ctx, vaultId);
  await assertStorageLeft(ctx, ownerId, bytes.length);
  const now = ctx.clock.now();
  const id = recordId(now, ctx.random);
  const blockId = await putContent(ctx, vault, { id, entryId }, bytes);
  const attach = async (tx: Context) => {
    await entryRow(tx, vaultId, entryId);
    assertFilenameFree(await attachmentsOf(tx, vault, entryId), filename);
    await takeStorage(tx, ownerId, bytes.length);
    await keepBlocks(tx, [blockId]);
    await tx.db
      .insertInto('passvault_attachments')
      .values({
        id,
        vault_id: vaultId,
        entry_id: entryId,
        block_id: blockId,
        size_bytes: bytes.length,
        sealed: sealNames(tx, vault, { id, entryId }, { filename, mimeType }),
        created_at: now,
      })
      .execute();
    await countEntries(tx, vaultId, 0);
    await record(tx, actor, vaultId, 'ATTACHMENT_ADDED', { entryId, attachmentId: id });
    return { attachment: { id, filename, mimeType, sizeBytes: bytes.length } };
  };
  try {
    const reply = await transaction(ctx, async (tx) => {
      await assertSameKey(tx, actor, vault);
      return await once(tx, async () => await attach(tx));
    });
    // The same request came twice at once, and the other one was carried out.
    if (reply.attachment.id !== id) await withdrawBlocks(ctx, [blockId]);
    return reply;
  } catch (error) {
    await withdrawBlocks(ctx, [blockId]);
    throw error;
  }
}

export async function showAttachment(ctx: Context, actor: Actor, input: OfAttachment) {
  const { vaultId, entryId, attachmentId } = input;
  const [vault, found] = await transaction(ctx, async (tx) => {
    const open = await openVault(tx, actor, vaultId);
    const attachment = await findAttachment(tx, open, input);
    // Reserved before the read is recorded: a refused request has read nothing.
    ctx.caller?.reserve(base64Length(attachment.sizeBytes));
    await record(tx, actor, vaultId, 'ATTACHMENT_READ', { entryId, attachmentId });
    return [open, attachment] as const;
  });
  const bytes = await getContent(ctx, vault, found, found.blockId);
  return { attachment: { ...attachmentOf(found), content: toBase64(bytes) } };
}

export async function removeAttachment(ctx: Context, actor: Actor, input: OfAttachment): Promise<{ deleted: true }> {
  const { vaultId, entryId, attachmentId } = input;
  return await transaction(ctx, async (tx) => {
    const vault = await openVault(tx, actor, vaultId);
    const found = await findAttachment(tx, vault, input);
    await tx.db.deleteFrom('passvault_attachments').where('id', '=', attachmentId).execute();
    await freeStorage(tx, await ownerOf(tx, vaultId), found.sizeBytes);
    await countEntries(tx, vaultId, 0);
    await record(tx, actor, vaultId, 'ATTACHMENT_REMOVED', { entryId, attachmentId });
    await dropBlocks(tx, [found.blockId]);
    return { deleted: true };
  });
}

async function findAttachment(tx: Context, vault: OpenVault, input: OfAttachment): Promise<KeptAttachment> {
  await entryRow(tx, input.vaultId, input.entryId);
  const found = (await attachmentsOf(tx, vault, input.entryId)).find((one) => one.id === input.attachmentId);
  if (found === undefined) throw attachmentNotFound();
  return found;
}
