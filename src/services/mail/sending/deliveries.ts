import type { Context } from '../../../service/context.ts';
import { mailEvents } from '../../../contract/mail/events.ts';
import type { DeliveryStatuses } from '../../../contract/mail/fields.ts';
import { publish } from '../../../platform/realtime/publish.ts';
import { cancelJob, planJob } from '../../../platform/store/jobs/plans.ts';
import { recordIds } from '../../../platform/store/record-id.ts';
import type { MailDeliveryRow, MailDeliveryStatus } from '../../../platform/store/tables/mail.ts';
import { insertRows, writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import { mailTopicOf } from '../boxes/items.ts';
import { addressOf } from '../message/address.ts';
import { dropUnused } from '../storage/contents.ts';
import type { Recipient } from './recipients.ts';

/** What became of a delivery, beside its status. */
export interface Failure {
  readonly code: string;
  /** for people */
  readonly reason: string;
}

/** Statuses that nothing follows, but for a late acknowledgment. */
const ends: readonly MailDeliveryStatus[] = ['DELIVERED', 'RELAYED', 'FAILED'];

export interface NewDeliveries {
  readonly senderId: string;
  readonly itemId: string;
  readonly messageId: string;
  readonly contentId: string;
  readonly recipients: readonly Recipient[];
  /** milliseconds since 1970 */
  readonly sendAt: number;
  /** a program sends it, so nobody is told when it fails */
  readonly automatic: boolean;
  /** it may go over the mail relay */
  readonly relay: boolean;
}

/** A delivery for each recipient, which is PENDING and not in the store. */
export function newDeliveries(tx: Context, made: NewDeliveries): MailDeliveryRow[] {
  const now = tx.clock.now();
  const nextId = recordIds(now, tx.random);
  return made.recipients.map(({ kind, mailbox }, number): MailDeliveryRow => ({
    id: nextId(),
    sender_id: made.senderId,
    item_id: made.itemId,
    message_id: made.messageId,
    content_id: made.contentId,
    number,
    kind,
    address: addressOf(mailbox),
    domain: mailbox.domain,
    status: 'PENDING',
    node_id: null,
    offer_id: null,
    code: null,
    reason: null,
    notice: made.automatic ? 0 : 1,
    send_at: made.sendAt,
    expires_at: made.sendAt + tx.config.mail.expiryMs,
    updated_at: now,
    relay: made.relay ? 1 : 0,
  }));
}

export async function addDeliveries(tx: Context, rows: readonly MailDeliveryRow[]): Promise<void> {
  await insertRows(tx.db, 'mail_deliveries', rows);
}

const setStatus = writtenList<{ notice: number }>(
  6,
  (stays) => `update mail_deliveries set status = $1, code = $2, reason = $3, updated_at = $4,
    notice = case when notice = 0 then 0 else $5 end
    where id = $6 and status not in ${stays} returning notice`,
);

/**
 * Gives a delivery another status, and tells its sender, in the transaction of what happened, or by a notice that follows. One that is delivered stays delivered; one that
 * failed can still be delivered by a late acknowledgment.
 * @returns whether it changed
 */
export async function changeStatus(
  tx: Context,
  row: MailDeliveryRow,
  status: MailDeliveryStatus,
  failure?: Failure,
): Promise<boolean> {
  const stays: readonly MailDeliveryStatus[] =
    status === 'DELIVERED' ? ['DELIVERED'] : [...ends, ...(status === 'IN_TRANSIT' ? (['IN_TRANSIT'] as const) : [])];
  const { code = null, reason = null } = failure ?? {};
  const notice = status === 'FAILED' ? 2 : 1;
  const { rows } = await tx.db.executeQuery(setStatus(stays, status, code, reason, tx.clock.now(), notice, row.id));
  const [changed] = rows;
  if (changed === undefined) return false;
  if (changed.notice === 2) await planNotice(tx, row.item_id);
  await publish(tx, mailTopicOf(row.sender_id), mailEvents.status, {
    id: row.item_id,
    messageId: row.message_id,
    address: row.address,
    status,
    code: failure?.code ?? null,
  });
  if (ends.includes(status)) await forgetIfDeleted(tx, row);
  return true;
}

/** Writes a delivery that was sent later than its message. */
export async function writeSent(tx: Context, row: MailDeliveryRow): Promise<void> {
  const { id, node_id, offer_id, status, code, reason } = row;
  if (offer_id !== null)
    await tx.db
      .updateTable('mail_deliveries')
      .set({ node_id, offer_id, updated_at: tx.clock.now() })
      .where('id', '=', id)
      .execute();
  if (status !== 'PENDING')
    await changeStatus(tx, row, status, code === null ? undefined : { code, reason: reason ?? '' });
}

const itemThere = writtenQuery('select id from mail_items where id = $1');

/** Deliveries of a message that its sender has deleted are kept only as long as they are under way. */
async function forgetIfDeleted(
  tx: Context,
  { id, item_id: itemId, content_id: contentId }: MailDeliveryRow,
): Promise<void> {
  if ((await tx.db.executeQuery(itemThere(itemId))).rows.length > 0) return;
  // What its sender has to be told of stays until that is done.
  const gone = await tx.db.deleteFrom('mail_deliveries').where('id', '=', id).where('notice', '!=', 2).execute();
  if (gone.every(({ numDeletedRows }) => numDeletedRows === 0n)) return;
  await dropUnused(tx, contentId);
}

export async function deliveriesOf({ db }: Pick<Context, 'db'>, itemId: string): Promise<MailDeliveryRow[]> {
  return await db.selectFrom('mail_deliveries').selectAll().where('item_id', '=', itemId).orderBy('number').execute();
}

export function statuses(rows: readonly Pick<MailDeliveryRow, 'address' | 'status'>[]): DeliveryStatuses {
  return Object.fromEntries(rows.map(({ address, status }) => [address, status]));
}

/** Plans the end of deliveries of a message that go to other nodes. */
export async function planExpiry(tx: Context, itemId: string, expiresAt: number): Promise<void> {
  const now = tx.clock.now();
  const job = { id: `mail-expiry/${itemId}`, kind: 'mail-expiry', payload: { itemId } };
  await planJob(tx.db, { ...job, runAt: expiresAt, now });
}

/** Plans that deliveries of a message are handed to the mail relay. */
export async function planRelay(tx: Context, itemId: string): Promise<void> {
  const now = tx.clock.now();
  await planJob(tx.db, { id: `mail-relay/${itemId}`, kind: 'mail-relay', payload: { itemId }, runAt: now, now });
}

/** Plans the notice about deliveries of a message that have failed; those of one transaction are in one. */
export async function planNotice(tx: Context, itemId: string): Promise<void> {
  const now = tx.clock.now();
  await planJob(tx.db, { id: `mail-notice/${itemId}`, kind: 'mail-notice', payload: { itemId }, runAt: now, now });
}

/** Plans the moment at which a message is sent. */
export async function planSending(tx: Context, itemId: string, sendAt: number): Promise<void> {
  const now = tx.clock.now();
  const job = { id: `mail-send/${itemId}`, kind: 'mail-send', payload: { itemId } };
  await planJob(tx.db, { ...job, runAt: sendAt, now });
}

export async function forgetPlans(tx: Context, itemId: string): Promise<void> {
  await cancelJob(tx.db, `mail-send/${itemId}`);
  await cancelJob(tx.db, `mail-expiry/${itemId}`);
  await cancelJob(tx.db, `mail-relay/${itemId}`);
}
