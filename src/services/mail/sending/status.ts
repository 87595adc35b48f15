import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { DeliveryStatuses } from '../../../contract/mail/fields.ts';
import type { MailDeliveryRow, MailItemRow } from '../../../platform/store/tables/mail.ts';
import { mailEvents } from '../../../contract/mail/events.ts';
import { publish } from '../../../platform/realtime/publish.ts';
import { changeItem, nextModseq, nextUid } from '../boxes/counters.ts';
import { copiesOf, itemOf, mailTopicOf } from '../boxes/items.ts';
import { withdrawOffers } from '../network/offers.ts';
import { emailNotFound, notPending } from '../problems.ts';
import { dropUnused } from '../storage/contents.ts';
import { deliveriesOf, forgetPlans, statuses } from './deliveries.ts';

interface Named {
  readonly messageId: string;
}

/** The sender sees everybody. A recipient of this node sees those whom the message names, which it has on its face. */
export async function deliveryStatus(ctx: Context, actor: Actor, { messageId }: Named): Promise<DeliveryStatuses> {
  const copies = await copiesOf(ctx, actor.memberId, messageId);
  const [first] = copies;
  if (first === undefined) throw emailNotFound();
  for (const copy of copies) {
    const own = await deliveriesOf(ctx, copy.id);
    if (own.length > 0) return statuses(own);
  }
  return statuses(await openDeliveries(ctx, first));
}

/** What a recipient may know of: To and Cc of the message that this member has by a sending of this node. */
async function openDeliveries({ db }: Pick<Context, 'db'>, item: MailItemRow): Promise<MailDeliveryRow[]> {
  const sentItem = /^local:([0-9a-f]{32})$/.exec(item.origin ?? '')?.[1];
  if (sentItem === undefined) return [];
  return await db
    .selectFrom('mail_deliveries')
    .selectAll()
    .where('item_id', '=', sentItem)
    .where('kind', '!=', 'bcc')
    .orderBy('number')
    .execute();
}

export async function showDeliveries(ctx: Context, actor: Actor, { messageId }: Named) {
  const copies = await copiesOf(ctx, actor.memberId, messageId);
  if (copies.length === 0) throw emailNotFound();
  const rows: MailDeliveryRow[] = [];
  for (const copy of copies) rows.push(...(await deliveriesOf(ctx, copy.id)));
  return {
    deliveries: rows.map((row) => ({
      address: row.address,
      kind: row.kind,
      status: row.status,
      failure: row.code,
      reason: row.reason,
      nodeId: row.node_id,
      updatedAt: new Date(row.updated_at).toISOString(),
      expiresAt: new Date(row.expires_at).toISOString(),
    })),
  };
}

/** Takes a message back that nobody has, and that no node was told of. */
export async function cancel(ctx: Context, actor: Actor, { messageId }: Named) {
  return await transaction(ctx, async (tx) => {
    const { memberId } = actor;
    const item = await sentCopy(tx, memberId, messageId);
    const rows = await deliveriesOf(tx, item.id);
    if (rows.length === 0 || rows.some(({ status }) => status !== 'PENDING')) throw notPending();
    if (!(await withdrawOffers(tx, rows))) throw notPending();
    await tx.db.deleteFrom('mail_deliveries').where('item_id', '=', item.id).execute();
    await forgetPlans(tx, item.id);
    const modseq = await nextModseq(tx, memberId);
    const uid = await nextUid(tx, memberId, 'drafts');
    await changeItem(tx, item.id, { folder: 'drafts', uid, modseq, keywords: JSON.stringify(['$draft']) });
    await publish(tx, mailTopicOf(memberId), mailEvents.changed, { id: item.id, modseq, deleted: false });
    const [shared] = rows;
    if (shared !== undefined && shared.content_id !== item.content_id) await dropUnused(tx, shared.content_id);
    return { cancelled: true as const, messageId: item.message_id, id: item.id };
  });
}

async function sentCopy(tx: Context, memberId: string, name: string): Promise<MailItemRow> {
  const copies = await copiesOf(tx, memberId, name);
  return copies.find(({ folder }) => folder === 'sent') ?? (await itemOf(tx, memberId, name));
}
