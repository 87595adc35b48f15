import type { Context } from '../../../service/context.ts';
import { calendarLimits, type InvitationStatus } from '../../../contract/calendar/limits.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { savepoint } from '../../../platform/store/savepoint.ts';
import type { CalendarInvitationRow } from '../../../platform/store/tables/calendar-invitations.ts';
import type { CalendarObjectRow, CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { blockedEitherWay } from '../../../shared/members/blocks.ts';
import { notify } from '../../../shared/notifications/notify.ts';
import { isSignificant } from '../icalendar/fields/change.ts';
import { componentsOf, paramOf, propertyOf, textOf, type JcalComponent } from '../icalendar/jcal.ts';
import { takeCancel, takeRequest, type Copy } from '../itip/receive.ts';
import { noVersions } from '../itip/versions.ts';
import { attendeeOf, isSame, organizerParty, type Party } from '../itip/self.ts';

import { openContent, uidKeyOf } from '../objects/content.ts';
import { zonesOf, zonesOfObject } from '../objects/known-zones.ts';
import { insertObject, removeObject, replaceObject, uidOf } from '../objects/write.ts';
import { defaultCalendar, openContentKey } from '../own-calendars.ts';
import { knows, knowsAddress } from './acquaintance.ts';
import { noRoom } from './no-room.ts';
import {
  invitationTo,
  knownOf,
  objectOf,
  openText,
  partyKey,
  putInvitation,
  sealText,
  waitingPurpose,
} from './rows.ts';

/** A message about an event for a member of this node. */
export interface LocalMessage {
  readonly recipient: Party & { readonly memberId: string };
  /** who sends it, which may be somebody who acts for the organizer */
  readonly sender: Party;
  /** the sender for people */
  readonly senderName: string;
  readonly message: JcalComponent;
  /** the node itself knows that the sender may act for the organizer */
  readonly trusted?: boolean;
}

/**
 * Whoever acts for the organizer says so themselves. What the organizer has sent is changed only by those whom the organizer named in it.
 */
function mayAct(
  { sender, trusted = false }: LocalMessage,
  organizer: Party,
  before: JcalComponent | undefined,
): boolean {
  if (trusted || before === undefined || isSame(organizer, sender)) return true;
  return componentsOf(before, 'vevent').some((event) => {
    const property = propertyOf(event, 'organizer');
    return property !== undefined && paramOf(property, 'sent-by')?.toLowerCase() === sender.key;
  });
}

/** Whether the sender speaks for the organizer of an event that the recipient has. */
export async function maySpeak(tx: Context, local: LocalMessage, organizer: Party): Promise<boolean> {
  const { copy } = await find(tx, local.recipient, uidOf(local.message), organizer);
  return copy.object !== undefined && mayAct(local, organizer, copy.object);
}

const calendarById = writtenQuery<CalendarRow>('select * from calendars where id = $1');

interface Found {
  readonly row: CalendarInvitationRow | undefined;
  readonly calendar: CalendarRow;
  readonly object: CalendarObjectRow | undefined;
  /** the member has another event with this UID, which nobody else may touch */
  readonly taken: boolean;
  readonly copy: Copy;
}

/** Those of the ids for whom a block parts the member from them. */
async function isParted(
  tx: Context,
  { memberId }: LocalMessage['recipient'],
  others: readonly Party[],
): Promise<boolean> {
  const ids = others.flatMap((one) => one.memberId ?? []).filter((id) => id !== memberId);
  return ids.length > 0 && (await blockedEitherWay(tx, memberId, ids)).size > 0;
}

async function find(
  tx: Context,
  { memberId }: LocalMessage['recipient'],
  uid: string,
  organizer: Party,
): Promise<Found> {
  const uidKey = uidKeyOf(tx, uid);
  const row = await invitationTo(tx, memberId, uidKey, organizer);
  const known = knownOf(row);
  const object = await objectOf(tx, memberId, uidKey);
  const fallback = await defaultCalendar(tx, memberId);
  const waiting = row?.sealed ?? null;
  const text = row === undefined || waiting === null ? undefined : openText(tx, waitingPurpose(row.id), waiting);
  const kept = text === undefined ? undefined : (JSON.parse(text) as JcalComponent);
  if (object === undefined) return { row, calendar: fallback, object, taken: false, copy: { object: kept, known } };
  const calendar = (await tx.db.executeQuery(calendarById(object.calendar_id))).rows[0] ?? fallback;
  const key = openContentKey(tx, calendar);
  try {
    const content = openContent(key, object);
    const before = organizerParty(content);
    // Whoever knows the UID of an event that they do not organize changes nothing of it.
    const taken = before === undefined || !isSame(before, organizer);
    return {
      row,
      calendar,
      object: taken ? undefined : object,
      taken,
      copy: { object: taken ? kept : content, known },
    };
  } finally {
    key.fill(0);
  }
}

/**
 * Gives a member an invitation, or a change of one, in the transaction of its sender, who has locked the member. The member does not get it if a
 * block parts them, if it is older than what they have, or if they have another event with its UID.
 */
export async function deliverRequest(tx: Context, local: LocalMessage): Promise<void> {
  const { recipient, sender, message } = local;
  const organizer = organizerParty(message);
  if (organizer === undefined || (await isParted(tx, recipient, [organizer, sender]))) return;
  const uid = uidOf(message);
  const { row, calendar, object, taken, copy: found } = await find(tx, recipient, uid, organizer);
  if (!mayAct(local, organizer, found.object)) return;
  const copy = withoutOthersCancel(found, sender);
  const zones = zonesOfObject(zonesOf(tx), calendar.zone, message);
  const next = takeRequest(copy, message, recipient, zones, local.trusted);
  if (next?.object === undefined) return;
  const isNew = copy.object === undefined;
  if (isNew && isCancelled(next.object)) {
    await remember(tx, row, next);
    return;
  }
  const written = await put(tx, { ...local, organizer }, { row, calendar, object, taken, next, isNew });
  if (written === undefined) return;
  const changes = copy.object !== undefined && differs(copy.object, next.object);
  if ((isNew && statusIn(next.object, recipient) !== 'declined') || changes)
    await notify(tx, {
      recipientId: recipient.memberId,
      type: isNew ? 'event_invitation' : 'event_changed',
      actorId: sender.memberId,
      targetId: written,
      content: isNew
        ? `${local.senderName} invited you to an event.`
        : `${local.senderName} changed an event to which you are invited.`,
    });
}

/**
 * Whoever says to act for an organizer, of whom nobody has heard, may be anybody who knows the UID: what they cancelled before it was known holds
 * against their own messages alone.
 */
function withoutOthersCancel({ object, known }: Copy, sender: Party): Copy {
  const { by } = known;
  return object !== undefined || by === undefined || by === sender.key
    ? { object, known }
    : { object, known: noVersions };
}

async function remember(tx: Context, row: CalendarInvitationRow | undefined, { known }: Copy): Promise<void> {
  if (row !== undefined) await putInvitation(tx, { ...row, known: JSON.stringify(known), updated_at: tx.clock.now() });
}

/** Whether attendees see it: answers of others are nothing to tell. */
function differs(before: JcalComponent, after: JcalComponent): boolean {
  const [some, others] = [componentsOf(before, 'vevent'), componentsOf(after, 'vevent')];
  if (some.length !== others.length) return true;
  return some.some((event, at) => {
    const other = others[at];
    const title = (one: JcalComponent) => textOf(propertyOf(one, 'summary'));
    return other === undefined || isSignificant(event, other) || title(event) !== title(other);
  });
}

interface Put extends Omit<Found, 'copy'> {
  readonly next: Copy;
  readonly isNew: boolean;
}

/** @returns id of the event or of the invitation; undefined: there is no room for it */
async function put(
  tx: Context,
  { recipient, sender, organizer }: LocalMessage & { readonly organizer: Party },
  { row, calendar, object, taken, next, isNew }: Put,
): Promise<string | undefined> {
  const { memberId } = recipient;
  const content = next.object;
  if (content === undefined) return undefined;
  const now = tx.clock.now();
  const invitation = {
    id: row?.id ?? recordId(now, tx.random),
    member_id: memberId,
    uid_key: uidKeyOf(tx, uidOf(content)),
    organizer_key: partyKey(organizer),
    known: JSON.stringify(next.known),
    status: statusIn(content, recipient),
    created_at: row?.created_at ?? now,
    updated_at: now,
  };
  const key = openContentKey(tx, calendar);
  try {
    // What a member removed comes back into no calendar by itself.
    const mayEnter = isNew && !taken && (row === undefined || row.status === 'cancelled');
    const enters = object !== undefined || (mayEnter && (await entersAtOnce(tx, memberId, organizer, sender)));
    if (enters) {
      const stored = await savepoint(tx.db, async () =>
        object === undefined
          ? await insertObject(tx, { ...calendar, key }, { object: content, createdBy: memberId })
          : await replaceObject(tx, { ...calendar, key }, object, { object: content }),
      ).catch(noRoom);
      if (stored !== undefined) {
        await putInvitation(tx, { ...invitation, object_id: stored.id, sealed: null });
        return stored.id;
      }
      // A full store of the member keeps nobody from changing an event.
      if (object !== undefined) return undefined;
    }
  } finally {
    key.fill(0);
  }
  const text = JSON.stringify(content);
  if (text.length > calendarLimits.waitingBytes) return undefined;
  // Whoever has declined or removed it is asked anew.
  const status = invitation.status === 'declined' ? 'declined' : 'pending';
  const sealed = sealText(tx, waitingPurpose(invitation.id), text);
  await putInvitation(tx, { ...invitation, status, object_id: null, sealed });
  return invitation.id;
}

async function entersAtOnce(tx: Context, memberId: string, organizer: Party, sender: Party): Promise<boolean> {
  const { autoAdd } = tx.config.calendar;
  if (autoAdd !== 'known') return autoAdd === 'all';
  for (const party of isSame(organizer, sender) ? [organizer] : [organizer, sender]) {
    const known =
      party.memberId === undefined
        ? await knowsAddress(tx, memberId, partyKey(party))
        : await knows(tx, memberId, party.memberId);
    if (!known) return false;
  }
  return true;
}

const statuses: Readonly<Record<string, InvitationStatus>> = {
  ACCEPTED: 'accepted',
  TENTATIVE: 'tentative',
  DECLINED: 'declined',
};

/** What a member has answered, as far as the event says. */
export function statusIn(object: JcalComponent, party: Party): InvitationStatus {
  const events = componentsOf(object, 'vevent');
  const event = events.find((one) => propertyOf(one, 'recurrence-id') === undefined) ?? events[0];
  const property = event && attendeeOf(event, party);
  return statuses[(property && paramOf(property, 'partstat')) ?? ''] ?? 'pending';
}

/** Takes an invitation back. What is not there is remembered as cancelled, so that what arrives later brings nothing. */
export async function deliverCancel(tx: Context, local: LocalMessage): Promise<void> {
  const { recipient, sender, senderName, message } = local;
  const organizer = organizerParty(message);
  if (organizer === undefined) return;
  const { row, calendar, object, copy } = await find(tx, recipient, uidOf(message), organizer);
  if (!mayAct(local, organizer, copy.object)) return;
  const zones = zonesOfObject(zonesOf(tx), calendar.zone, copy.object ?? message);
  const taken = takeCancel(copy, message, zones);
  if (taken === undefined) return;
  const isOthers = copy.object === undefined && local.trusted !== true && !isSame(organizer, sender);
  const next = isOthers ? { ...taken, known: { ...taken.known, by: sender.key } } : taken;
  const now = tx.clock.now();
  const whole = next.object === undefined || isCancelled(next.object);
  const base = row ?? {
    id: recordId(now, tx.random),
    member_id: recipient.memberId,
    uid_key: uidKeyOf(tx, uidOf(message)),
    organizer_key: partyKey(organizer),
    object_id: null,
    status: 'cancelled',
    sealed: null,
    created_at: now,
  };
  const sealed =
    whole || object !== undefined || next.object === undefined
      ? null
      : sealText(tx, waitingPurpose(base.id), JSON.stringify(next.object));
  const status = whole ? 'cancelled' : base.status;
  const invitation = { ...base, status, sealed, known: JSON.stringify(next.known), updated_at: now };
  const isLeft = object === undefined || (await replaceCancelled(tx, calendar, object, next.object, whole));
  await putInvitation(tx, isLeft ? invitation : { ...invitation, object_id: null });
  if (copy.object === undefined || (await isParted(tx, recipient, [organizer, sender]))) return;
  await notify(tx, {
    recipientId: recipient.memberId,
    type: 'event_cancelled',
    actorId: sender.memberId,
    targetId: object?.id ?? base.id,
    content: `${senderName} cancelled an event to which you were invited.`,
  });
}

/** @returns false if it is removed: to say that it is off has room, however full the store of the member is */
async function replaceCancelled(
  tx: Context,
  calendar: CalendarRow,
  before: CalendarObjectRow,
  object: JcalComponent | undefined,
  whole: boolean,
): Promise<boolean> {
  if (object === undefined) return true;
  const key = openContentKey(tx, calendar);
  try {
    const written = await savepoint(
      tx.db,
      async () => await replaceObject(tx, { ...calendar, key }, before, { object }),
    ).catch(noRoom);
    if (written !== undefined || !whole) return true;
    await removeObject(tx, calendar, before);
    return false;
  } finally {
    key.fill(0);
  }
}

export function isCancelled(object: JcalComponent): boolean {
  return componentsOf(object, 'vevent').every((event) => textOf(propertyOf(event, 'status')) === 'CANCELLED');
}
