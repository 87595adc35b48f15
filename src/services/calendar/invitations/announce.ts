import type { Context } from '../../../service/context.ts';
import type { CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { deliveryParam, personOf } from '../icalendar/fields/people.ts';
import {
  componentsOf,
  paramOf,
  propertiesOf,
  propertyOf,
  withProperties,
  type JcalComponent,
  type JcalProperty,
} from '../icalendar/jcal.ts';
import { cancelFor, requestFor } from '../itip/messages.ts';
import { instanceKey, sequenceOf } from '../itip/receive.ts';
import {
  attendeeOf,
  invitedTo,
  isSame,
  organizerParty,
  partOf,
  partyOf,
  withEvents,
  withParams,
  type Party,
} from '../itip/self.ts';
import { zonesOf, zonesOfObject, type ObjectZones } from '../objects/known-zones.ts';
import { apart } from './apart.ts';
import { deliverCancel, deliverRequest, type LocalMessage } from './deliver.ts';
import { memberRecipient, queueMail } from './outgoing.ts';
import { membersById, partyOfMember } from './people.ts';
import { countInvited } from './rate.ts';
import { routeFinder } from './routes.ts';

/** Of more, each member sees only the organizer and themselves, so that the copies of a large meeting stay small. */
const LISTED = 200;

/** A change of an event. Without `before` it is new, without `after` it is gone. */
export interface Change {
  readonly calendar: Pick<CalendarRow, 'owner_id' | 'zone'>;
  /** who makes it */
  readonly actorId: string;
  readonly before: JcalComponent | undefined;
  readonly after: JcalComponent | undefined;
}

/**
 * Marks those attendees whom no mail reaches, or only that over the mail relay, so that whoever invites them sees it at once.
 * @returns the object as it is to be stored
 */
export async function withRoutes(tx: Context, object: JcalComponent): Promise<JcalComponent> {
  const reaches = routeFinder(tx);
  const beyond = new Map<string, string>();
  for (const party of invitedTo(object)) {
    const address = party.memberId === undefined ? addressIn(party) : undefined;
    const delivery = address === undefined ? 'MAIL' : await reaches(address);
    if (delivery !== 'MAIL') beyond.set(party.key, delivery);
  }
  return withEvents(object, ([name, properties, components]) => [
    name,
    properties.map((property) => {
      if (property[0] !== 'attendee') return property;
      const { memberId, key } = partyOf(personOf(property));
      return withParams(property, { [deliveryParam]: memberId === undefined ? beyond.get(key) : undefined });
    }),
    components,
  ]);
}

/**
 * Tells attendees of what the organizer does with an event: members of this node in the running transaction, whose caller has locked them, and
 * others by mail.
 * @throws Problem tooMany RATE_LIMITED
 */
export async function announceChange(tx: Context, { calendar, actorId, before, after }: Change): Promise<void> {
  if ([before, after].every((object) => object === undefined || organizerParty(object) === undefined)) return;
  const owner = await partyOfMember(tx, calendar.owner_id);
  const isOurs = (object: JcalComponent | undefined): object is JcalComponent =>
    object !== undefined && partOf(object, owner) === 'organizer';
  const [earlier, later] = [isOurs(before) ? before : undefined, isOurs(after) ? after : undefined];
  const shown = later ?? earlier;
  if (shown === undefined) return;
  const now = tx.clock.now();
  const zones = zonesOfObject(zonesOf(tx), calendar.zone, shown);
  const plan = planned({ earlier, later, zones, now });
  await countInvited(tx, actorId, plan.requests.length);
  const people = await membersById(tx, [actorId, ...plan.memberIds]);
  const actor = people.get(actorId);
  const sender: Party =
    actorId === calendar.owner_id ? owner : { memberId: actorId, key: `mailto:${actor?.email ?? ''}` };
  const senderName = actor?.username ?? 'Somebody';
  const mailed = new Map<string, Said>();
  const soon = new Map<string, Said>();
  const reaches = routeFinder(tx);
  let delivered = 0;
  const tell = async (method: 'REQUEST' | 'CANCEL', { party, message }: Told): Promise<void> => {
    if (party.memberId === undefined) {
      const address = addressIn(party);
      if (address === undefined || (await reaches(address)) === 'NO_ROUTE') return;
      const same = `${method} ${plan.shapeOf(message)}`;
      const group = mailed.get(same);
      const together = group !== undefined && method === 'CANCEL' ? withAttendeesOf(group.message, message) : message;
      mailed.set(same, { method, message: together, recipients: [...(group?.recipients ?? []), address] });
      return;
    }
    if (people.get(party.memberId)?.active !== true) return;
    delivered += 1;
    if (delivered > AT_ONCE) {
      const same = `${method} soon ${plan.shapeOf(message)}`;
      const group = soon.get(same);
      soon.set(same, { method, message, recipients: [...(group?.recipients ?? []), memberRecipient(party.memberId)] });
      return;
    }
    await deliverHere(tx, method, {
      recipient: { memberId: party.memberId, key: party.key },
      sender,
      senderName,
      message,
    });
  };
  for (const told of plan.requests) await tell('REQUEST', told);
  for (const told of plan.cancels) await tell('CANCEL', told);
  for (const { method, message, recipients } of mailed.values())
    await queueMail(tx, { memberId: actorId, method, message, recipients });
  for (const { method, message, recipients } of soon.values())
    await queueMail(tx, { memberId: actorId, method, message, recipients, soon: true });
}

/** Members who have an event with the commit of its organizer. Others would wait too long for a transaction with more; these get it at once after it. */
const AT_ONCE = 50;

interface Said {
  readonly method: 'REQUEST' | 'CANCEL';
  readonly message: JcalComponent;
  readonly recipients: readonly string[];
}

/** Gives a member of this node what their organizer says, as far as each sees the others. The caller has locked the member. */
export async function deliverHere(tx: Context, method: Said['method'], local: LocalMessage): Promise<void> {
  const { message, recipient } = local;
  const trusted = { ...local, trusted: true };
  // One whose calendar is damaged keeps nobody from changing an event.
  await apart(tx, async () => {
    if (method === 'CANCEL') await deliverCancel(tx, trusted);
    else await deliverRequest(tx, { ...trusted, message: short(message, recipient) });
  });
}

/** A cancellation for those of both. */
function withAttendeesOf(message: JcalComponent, other: JcalComponent): JcalComponent {
  const more = componentsOf(other, 'vevent').flatMap((event) => propertiesOf(event, 'attendee'));
  return withEvents(message, ([name, properties, components]) => [name, [...properties, ...more], components]);
}

function addressIn({ key }: Party): string | undefined {
  return key.startsWith('mailto:') ? key.slice('mailto:'.length) : undefined;
}

interface Told {
  readonly party: Party;
  readonly message: JcalComponent;
}

interface Plan {
  readonly requests: readonly Told[];
  readonly cancels: readonly Told[];
  readonly memberIds: readonly string[];
  /** the same for messages that are */
  readonly shapeOf: (message: JcalComponent) => string;
}

/** Who is to hear what. Views are the same for most attendees, and made once. */
function planned({
  earlier,
  later,
  zones,
  now,
}: {
  readonly earlier: JcalComponent | undefined;
  readonly later: JcalComponent | undefined;
  readonly zones: ObjectZones;
  readonly now: number;
}): Plan {
  const shapes = new Map<JcalComponent, string>();
  const views = new Map<string, JcalComponent | undefined>();
  const viewOf = (object: JcalComponent | undefined, party: Party, which: string): JcalComponent | undefined => {
    if (object === undefined) return undefined;
    const events = componentsOf(object, 'vevent').map((event) => attendeeOf(event, party) !== undefined);
    const shape = `${which} ${events.map((is) => (is ? 1 : 0)).join('')}`;
    if (!views.has(shape)) views.set(shape, requestFor(object, party, zones, now));
    const view = views.get(shape);
    if (view !== undefined) shapes.set(view, shape);
    return view;
  };
  const parties = later === undefined ? [] : toldIn(later);
  const all = [...parties];
  for (const party of earlier === undefined ? [] : toldIn(earlier))
    if (!parties.some((one) => isSame(one, party))) all.push(party);
  const requests: Told[] = [];
  const cancels: Told[] = [];
  const texts = new Map<JcalComponent, string>();
  const textOfView = (view: JcalComponent | undefined): string => {
    if (view === undefined) return '';
    const text = texts.get(view) ?? JSON.stringify(view[2].map(withoutStamps));
    texts.set(view, text);
    return text;
  };
  const highest = Math.max(
    ...[earlier, later].flatMap((one) => (one === undefined ? [] : componentsOf(one, 'vevent').map(sequenceOf))),
  );
  const shown = later ?? earlier;
  for (const party of all) {
    const [was, is] = [viewOf(earlier, party, 'before'), viewOf(later, party, 'after')];
    if (is !== undefined && textOfView(was) !== textOfView(is)) requests.push({ party, message: is });
    if (was === undefined || shown === undefined) continue;
    const cancellation = { zones, now, sequence: later === undefined ? highest + 1 : highest };
    for (const at of keysGone(was, is, zones))
      cancels.push({ party, message: cancelFor(earlier ?? shown, party, { ...cancellation, at }) });
  }
  return {
    requests,
    cancels,
    memberIds: all.flatMap(({ memberId }) => memberId ?? []),
    shapeOf: (message) => shapes.get(message) ?? keysIn(message, zones).join(' '),
  };
}

/** Those whom the program of the organizer does not tell itself (RFC 6638 7.1). */
function toldIn(object: JcalComponent): Party[] {
  const events = componentsOf(object, 'vevent');
  return invitedTo(object).filter((party) => {
    const agents = events.map((event) => attendeeOf(event, party)).map((one) => one && paramOf(one, 'schedule-agent'));
    return !agents.some((agent) => /^(?:client|none)$/i.test(agent ?? ''));
  });
}

/** Programs may write the properties in another order, and their parameters. */
function withoutStamps(event: JcalComponent): JcalComponent {
  const [name, properties, components] = withProperties(event, ['dtstamp', 'last-modified'], []);
  const sorted = properties.toSorted(([one], [other]) => compared(one, other));
  return [name, sorted.map(inOrder), components];
}

function inOrder(property: JcalProperty): JcalProperty {
  const [name, params, ...rest] = property;
  const entries = Object.entries(params);
  if (entries.length < 2) return property;
  return [name, Object.fromEntries(entries.toSorted(([one], [other]) => compared(one, other))), ...rest];
}

function compared(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/**
 * What somebody knew and is invited to no more: all of it (undefined), or instances that they knew by themselves. Of a series to which they are still
 * invited those are left out in what they get.
 */
function keysGone(was: JcalComponent, is: JcalComponent | undefined, zones: ObjectZones): (string | undefined)[] {
  const before = keysIn(was, zones);
  const left = new Set(is === undefined ? [] : keysIn(is, zones));
  if (left.has(undefined)) return [];
  return before.includes(undefined) && is === undefined ? [undefined] : before.filter((key) => !left.has(key));
}

function keysIn(object: JcalComponent, zones: ObjectZones): (string | undefined)[] {
  return componentsOf(object, 'vevent').map((event) => instanceKey(event, zones));
}

function short(message: JcalComponent, party: Party): JcalComponent {
  return withEvents(message, (event) => {
    const [name, properties, components] = event;
    if (properties.filter(([one]) => one === 'attendee').length <= LISTED) return event;
    const mine = attendeeOf(event, party);
    const organizer = propertyOf(event, 'organizer');
    const isShown = (property: (typeof properties)[number]): boolean =>
      property === mine ||
      (organizer !== undefined && isSame(partyOf(personOf(property)), partyOf(personOf(organizer))));
    return [name, properties.filter((one) => one[0] !== 'attendee' || isShown(one)), components];
  });
}
