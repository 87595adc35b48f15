import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../../service/context.ts';
import { mailEvents } from '../../../contract/mail/events.ts';
import { whoBlocked } from '../../../shared/members/blocks.ts';
import { notify } from '../../../shared/notifications/notify.ts';
import { Problem } from '../../../base/problem.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import { eventMessageKind, type EventMessage } from '../message/event-message.ts';
import { publish } from '../../../platform/realtime/publish.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { savepoint } from '../../../platform/store/savepoint.ts';
import type { MailItemRow } from '../../../platform/store/tables/mail.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import { addLabels } from '../boxes/counters.ts';
import {
  addItem,
  mailTopicOf,
  prepareItem,
  type ItemPlace,
  type MessageFacts,
  type PreparedItem,
} from '../boxes/items.ts';
import type { Address } from '../message/addresses.ts';
import type { Mailbox } from '../message/address.ts';
import { usernameIn } from '../../../shared/members/names.ts';
import { planForwards, type RuleOutcome } from '../rules/apply.ts';
import { rulesFor } from '../rules/rules.ts';
import type { Failure } from './deliveries.ts';

/** A member of this node who gets a message. */
export interface LocalRecipient {
  readonly memberId: string;
  readonly username: string;
}

const activeMembers = writtenList<{ id: string; username: string; username_key: string }>(
  0,
  (names) => `select id, username, username_key from members where username_key in ${names} and status = 'active'`,
);
const activeMember = writtenQuery<{ id: string }>("select id from members where id = $1 and status = 'active'");
const copyFrom = writtenQuery<{ id: string }>('select id from mail_items where member_id = $1 and origin = $2');

/** The active members behind mailboxes of this node, by the username that they name. */
export async function localRecipients(
  { db }: Pick<Context, 'db'>,
  mailboxes: readonly Mailbox[],
): Promise<Map<string, LocalRecipient>> {
  if (mailboxes.length === 0) return new Map();
  const names = [...new Set(mailboxes.map(({ localPart }) => usernameIn(localPart)))];
  const { rows } = await db.executeQuery(activeMembers(names));
  return new Map(rows.map((row) => [row.username_key, { memberId: row.id, username: row.username }]));
}

export interface PreparedDelivery {
  readonly recipient: LocalRecipient;
  readonly item: PreparedItem;
  readonly outcome: RuleOutcome;
}

/** After so many recipients others have their turn. */
const TURN = 8;

/** Does what takes long before the transaction of deliveries, for each recipient: words for the search, and rules. */
export async function prepareAll(
  ctx: Context,
  recipients: ReadonlyMap<string, LocalRecipient>,
  facts: MessageFacts,
  more: { readonly automatic: boolean },
): Promise<Map<string, PreparedDelivery>> {
  const prepared = new Map<string, PreparedDelivery>();
  for (const [key, recipient] of recipients) {
    prepared.set(key, await prepareDelivery(ctx, recipient, facts, more));
    if (prepared.size % TURN === 0) await nextTurn();
  }
  return prepared;
}

async function prepareDelivery(
  ctx: Context,
  recipient: LocalRecipient,
  facts: MessageFacts,
  more: { readonly automatic: boolean },
): Promise<PreparedDelivery> {
  const now = ctx.clock.now();
  const item = await prepareItem(ctx, recipient.memberId, recordId(now, ctx.random), facts, now);
  return { recipient, item, outcome: await rulesFor(ctx, recipient.memberId, facts, more) };
}

/** The ids of those who get something. */
export function recipientIds(prepared: Iterable<PreparedDelivery>): string[] {
  return Array.from(prepared, ({ recipient }) => recipient.memberId);
}

/** Deliveries by the ids of the recipients, in which order others notify them: see `lockMembers`. */
export function inOrder<One extends { readonly found: PreparedDelivery | undefined }>(all: readonly One[]): One[] {
  const idOf = ({ found }: One): string => found?.recipient.memberId ?? '';
  return all.toSorted((one, other) => idOf(one).localeCompare(idOf(other)));
}

/** Whether a member has what came from there already, in whatever folder it is now. */
export async function hasCopy({ db }: Pick<Context, 'db'>, memberId: string, origin: string): Promise<boolean> {
  return (await db.executeQuery(copyFrom(memberId, origin))).rows.length > 0;
}

export const noSuchMailbox: Failure = {
  code: 'NO_SUCH_MAILBOX',
  reason: 'The node has no mailbox of this name.',
};
const blocked: Failure = { code: 'BLOCKED', reason: 'The recipient does not take messages from this sender.' };
const full: Failure = { code: 'MAILBOX_FULL', reason: 'The mailbox of the recipient is full.' };

/**
 * Puts a message into a mailbox of this node, in the transaction that says so to its sender. The content must be there.
 * @param senderId of a member of this node
 * @param silent the recipient is not notified of it
 * @returns why it was refused; undefined: it was delivered
 */
export async function deliver(
  tx: Context,
  contentId: string,
  { recipient, item, outcome }: PreparedDelivery,
  {
    senderId,
    origin,
    silent = false,
  }: { readonly senderId?: string; readonly origin?: string; readonly silent?: boolean },
): Promise<Failure | undefined> {
  const { memberId } = recipient;
  if ((await tx.db.executeQuery(activeMember(memberId))).rows.length === 0) return noSuchMailbox;
  if (outcome.refuse) return blocked;
  if (senderId !== undefined && (await whoBlocked(tx, senderId, [memberId])).size > 0) return blocked;
  const place: ItemPlace = {
    folder: outcome.folder,
    seen: outcome.seen,
    flagged: outcome.flagged,
    ...(origin !== undefined && { origin }),
  };
  try {
    const row = await addItem(tx, contentId, item, place);
    await labelled(tx, row, outcome.labels);
    await publish(tx, mailTopicOf(memberId), mailEvents.received, {
      id: row.id,
      messageId: row.message_id,
      folder: outcome.folder,
      receivedAt: new Date(row.received_at).toISOString(),
    });
    if (outcome.folder === 'inbox' && !outcome.seen && !silent)
      await notify(tx, {
        recipientId: memberId,
        type: 'new_email',
        actorId: senderId,
        targetId: row.thread_id,
        content: `${nameOf(item.facts.summary.from)} sent you an e-mail.`,
      });
    await planForwards(tx, row, outcome);
    if (item.facts.hasCalendar) await planEventMessage(tx, row);
    return undefined;
  } catch (error) {
    if (error instanceof Problem && error.code === 'STORAGE_QUOTA_EXCEEDED') return full;
    throw error;
  }
}

/** Whoever knows events reads what a message says of one. Its From is checked: it came from a member of this node, or from the node that serves it. */
async function planEventMessage({ db, clock }: Context, { id, member_id: memberId }: MailItemRow): Promise<void> {
  const now = clock.now();
  const payload: EventMessage = { itemId: id, memberId };
  await planJob(db, { id: `${eventMessageKind}/${id}`, kind: eventMessageKind, payload, runAt: now, now });
}

/** A rule that finds the mailbox full of labels must not keep a message from it. */
async function labelled(
  tx: Context,
  { id, member_id: memberId }: MailItemRow,
  labels: readonly string[],
): Promise<void> {
  if (labels.length === 0) return;
  try {
    await savepoint(tx.db, async () => await addLabels(tx, memberId, id, labels));
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'EMAIL_LABELS_FULL') throw error;
  }
}

function nameOf({ displayName, address }: Address): string {
  return displayName === undefined ? address : `${displayName} (${address})`;
}
