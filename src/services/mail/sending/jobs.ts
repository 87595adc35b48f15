import { transaction, type Context } from '../../../service/context.ts';
import type { MailboxInput } from '../../../contract/mail/fields.ts';
import { Problem } from '../../../base/problem.ts';
import { scheduled } from '../../../service/scheduled.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import type { MailDeliveryRow } from '../../../platform/store/tables/mail.ts';
import type { MessageFacts } from '../boxes/items.ts';
import { mailboxIn } from '../message/address.ts';
import { parsedContent } from '../reading/body.ts';
import { openContent, type OpenContent } from '../storage/contents.ts';
import { factsOf } from '../storage/structure.ts';
import { changeStatus, writeSent } from './deliveries.ts';
import { dispatch, prepareDeliveries } from './dispatch.ts';
import { forwardItem } from './forwarding.ts';
import { recipientIds } from './local.ts';
import { isAutomatic } from './raw.ts';

/** What recipients have of a message that was sent before, and whether a program sent it. */
async function factsOfContent(
  ctx: Context,
  content: OpenContent,
  messageId: string,
): Promise<{ facts: MessageFacts; automatic: boolean }> {
  const parsed = await parsedContent(ctx, content);
  return { facts: factsOf(parsed, content.size, messageId), automatic: isAutomatic(parsed) };
}

/** Sends deliveries that wait, whose content is in the store. @param finish marks the job as done in the same transaction */
async function sendWaiting(
  ctx: Context,
  rows: readonly MailDeliveryRow[],
  finish: (tx: Context) => Promise<void>,
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return await transaction(ctx, finish);
  const content = await openContent(ctx, first.content_id);
  const { facts, automatic } = await factsOfContent(ctx, content, first.message_id);
  const mailboxes = rows.flatMap(({ address }) => mailboxIn(address) ?? []);
  const prepared = await prepareDeliveries(ctx, mailboxes, facts, { automatic });
  await transaction(ctx, async (tx) => {
    await finish(tx);
    const ids = rows.map(({ id }) => id);
    // Some may have been taken back meanwhile.
    const still = await tx.db
      .selectFrom('mail_deliveries')
      .selectAll()
      .where('id', 'in', ids)
      .where('status', '=', 'PENDING')
      .where('offer_id', 'is', null)
      .orderBy('number')
      .execute();
    if (still.length === 0) return;
    await lockMembers(tx, [first.sender_id, ...recipientIds(prepared.values())]);
    const sent = { content, from: facts.summary.from.address, prepared };
    for (const row of await dispatch(tx, sent, still)) await writeSent(tx, row);
  });
}

/** Sends a scheduled message. */
export async function sendHandler(ctx: Context): Promise<JobHandler> {
  return async (payload, { finish }) => {
    const { itemId } = payload as { readonly itemId: string };
    const rows = await ctx.db
      .selectFrom('mail_deliveries')
      .selectAll()
      .where('item_id', '=', itemId)
      .where('status', '=', 'PENDING')
      .where('offer_id', 'is', null)
      .orderBy('number')
      .execute();
    await sendWaiting(ctx, rows, async (tx) => await finish(tx.db));
  };
}

const expired = { code: 'EXPIRED', reason: 'The node of the recipient did not acknowledge the message in time.' };
const relayExpired = { code: 'EXPIRED', reason: 'The mail relay did not take the message in time.' };

/** Ends what was not acknowledged in time. */
export const expiryHandler = scheduled(async (tx, payload) => {
  const { itemId } = payload as { readonly itemId: string };
  const rows = await tx.db
    .selectFrom('mail_deliveries')
    .selectAll()
    .where('item_id', '=', itemId)
    .where('status', 'in', ['PENDING', 'IN_TRANSIT'])
    .where('expires_at', '<=', tx.clock.now())
    .execute();
  for (const row of rows)
    await changeStatus(tx, row, 'FAILED', row.relay === 1 && row.offer_id === null ? relayExpired : expired);
});

/** Forwards what a rule says. */
export async function forwardHandler(ctx: Context): Promise<JobHandler> {
  return async (payload, { finish }) => {
    const { memberId, itemId, forwardTo } = payload as {
      readonly memberId: string;
      readonly itemId: string;
      readonly forwardTo: readonly MailboxInput[];
    };
    const item = await ctx.db.selectFrom('mail_items').selectAll().where('id', '=', itemId).executeTakeFirst();
    const member = await ctx.db.selectFrom('members').select('username').where('id', '=', memberId).executeTakeFirst();
    if (item === undefined || member === undefined) return;
    try {
      await forwardItem(
        ctx,
        { memberId, username: member.username },
        item,
        { forwardTo },
        {
          automatic: true,
          before: async (tx) => await finish(tx.db),
        },
      );
    } catch (error) {
      // What the rule can't do once it can't do later, such as with a mailbox that is full.
      if (!(error instanceof Problem) || error.kind === 'unavailable') throw error;
      ctx.log.warn('a rule could not forward a message', { error, memberId });
    }
  };
}
