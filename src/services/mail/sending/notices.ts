import { withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import { filesOf, readPart } from '../../../shared/attachments/sealed-parts.ts';
import { notify } from '../../../shared/notifications/notify.ts';
import { onePiece } from '../../../base/one-piece.ts';
import { Problem } from '../../../base/problem.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { MailDeliveryRow } from '../../../platform/store/tables/mail.ts';
import { NOTICE } from '../boxes/items.ts';
import { composeNotice } from '../message/notice.ts';
import { mailboxOfMember, ownDomain } from '../own-mailbox.ts';
import { parsedContent } from '../reading/body.ts';
import { addContent, dropUnused, newContent, openContent, type OpenContent } from '../storage/contents.ts';
import { takeIn } from '../storage/intake.ts';
import { wrapForMembers } from '../storage/member-keys.ts';
import { factsOf, structureOf } from '../storage/structure.ts';
import { newMessageId } from './composing.ts';
import { SENDER } from './digest.ts';
import { deliver, localRecipients, prepareAll, type PreparedDelivery } from './local.ts';

/** Of the head of a message; the rest of a longer one is left out. */
const HEAD_BYTES = 64 * 1024;

/**
 * Tells the sender of a message whom it did not reach: by a notification, and by a message with an empty return path. It is nobody's
 * automatic answer, and takes nothing of what the sender may store.
 */
export function noticeHandler(ctx: Context): JobHandler {
  return async (payload, { finish }) => {
    const { itemId } = payload as { readonly itemId: string };
    const rows = await failedOf(ctx, itemId);
    const sender = await senderOf(ctx, rows);
    if (sender === undefined) return await transaction(ctx, async (tx) => await told(tx, rows, finish));
    const made = await makeNotice(ctx, sender.username, rows);
    const recipients = await localRecipients(ctx, [mailboxOfMember(ctx, sender.username)]);
    const [prepared] = (await prepareAll(ctx, recipients, made.facts, { automatic: true })).values();
    let kept = false;
    try {
      await transaction(ctx, async (tx) => {
        kept = false;
        // Something may have failed, or arrived after all, while the notice was made; then the job runs again.
        await told(tx, rows, finish);
        if (prepared === undefined) return;
        kept = await keep(tx, made, prepared, rows);
      });
    } finally {
      if (!kept) await withdrawBlocks(ctx, filesOf(new Set(made.content.parts)));
    }
  };
}

async function failedOf({ db }: Pick<Context, 'db'>, itemId: string): Promise<MailDeliveryRow[]> {
  return await db
    .selectFrom('mail_deliveries')
    .selectAll()
    .where('item_id', '=', itemId)
    .where('status', '=', 'FAILED')
    .where('notice', '=', 2)
    .orderBy('number')
    .execute();
}

async function senderOf({ db }: Pick<Context, 'db'>, [first]: readonly MailDeliveryRow[]) {
  if (first === undefined) return undefined;
  return await db
    .selectFrom('members')
    .select(['id', 'username'])
    .where('id', '=', first.sender_id)
    .where('status', '=', 'active')
    .executeTakeFirst();
}

/** Marks the deliveries as told, in the transaction that ends the job; those of a message that was deleted go. */
async function told(
  tx: Context,
  rows: readonly MailDeliveryRow[],
  finish: (db: Context['db']) => Promise<void>,
): Promise<void> {
  await finish(tx.db);
  for (const { id, item_id: itemId, content_id: contentId } of rows) {
    await tx.db.updateTable('mail_deliveries').set({ notice: 0 }).where('id', '=', id).execute();
    const item = await tx.db.selectFrom('mail_items').select('id').where('id', '=', itemId).executeTakeFirst();
    if (item !== undefined) continue;
    await tx.db.deleteFrom('mail_deliveries').where('id', '=', id).execute();
    await dropUnused(tx, contentId);
  }
}

async function makeNotice(ctx: Context, username: string, rows: readonly MailDeliveryRow[]) {
  const now = ctx.clock.now();
  const messageId = newMessageId(ctx);
  const [first] = rows;
  if (first === undefined) throw new Error('there is nothing to tell');
  const about = await aboutWhat(ctx, first.content_id);
  const octets = await composeNotice({
    messageId,
    date: now,
    from: { localPart: SENDER, domain: ownDomain(ctx), displayName: 'Conclave' },
    to: mailboxOfMember(ctx, username),
    original: { messageId: first.message_id, sentAt: first.send_at, ...about },
    failed: rows.map(({ address, code, reason }) => ({ address, code: code ?? '', reason: reason ?? '' })),
  });
  const taken = await takeIn(ctx, onePiece(octets));
  const parsed = await parsedContent(ctx, taken);
  const content = newContent(ctx, recordId(now, ctx.random), { ...taken, structure: structureOf(parsed) });
  return { content, facts: factsOf(parsed, content.size, messageId) };
}

/** A message whose blocks are damaged has failed all the same. */
async function aboutWhat(ctx: Context, contentId: string): Promise<{ subject: string; head: string }> {
  try {
    const content = await openContent(ctx, contentId);
    const { subject } = await parsedContent(ctx, content);
    return { subject, head: await headOf(ctx, content) };
  } catch (error) {
    if (!(error instanceof Problem) || error.kind === 'unavailable') throw error;
    return { subject: '', head: '' };
  }
}

/** @returns whether it is in the store, or was withdrawn there */
async function keep(
  tx: Context,
  { content }: Awaited<ReturnType<typeof makeNotice>>,
  prepared: PreparedDelivery,
  rows: readonly MailDeliveryRow[],
): Promise<boolean> {
  await addContent(tx, content, [], new Set(filesOf(new Set(content.parts))));
  const origin = `${NOTICE}${rows.map(({ id }) => id).join(',')}`;
  const failure = await deliver(tx, content.id, prepared, { origin, silent: true });
  if (failure !== undefined) {
    await dropUnused(tx, content.id);
    return true;
  }
  const { memberId } = prepared.recipient;
  await wrapForMembers(tx, content, [memberId]);
  const addresses = rows.map(({ address }) => address).join(', ');
  await notify(tx, {
    recipientId: memberId,
    type: 'email_failed',
    targetId: rows[0]?.item_id,
    content: `Your e-mail did not reach ${addresses}.`.slice(0, 500),
  });
  return true;
}

/** The header fields of a message, as they are in it. */
async function headOf(ctx: Context, { parts }: OpenContent): Promise<string> {
  const [first] = parts;
  if (first === undefined) return '';
  const pieces: Uint8Array[] = [];
  const range = { start: 0, end: Math.min(first.size, HEAD_BYTES) };
  for await (const piece of readPart(ctx, first, range)) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  const end = text.indexOf('\r\n\r\n');
  return end === -1 ? text.slice(0, text.lastIndexOf('\r\n') + 2) : text.slice(0, end + 2);
}
