import type { Context } from '../../../service/context.ts';
import { davRefusal } from '../../../service/dav-matching.ts';
import type { Problem } from '../../../base/problem.ts';
import type { OpenCalendar } from '../access.ts';
import { withoutOne } from '../events/change-series.ts';
import { findOccurrence } from '../events/find-occurrence.ts';
import { toFields } from '../icalendar/fields/to-fields.ts';
import { memberParam } from '../icalendar/fields/people.ts';
import {
  componentsOf,
  paramOf,
  propertiesOf,
  propertyOf,
  textOf,
  withProperties,
  type JcalComponent,
  type JcalProperty,
} from '../icalendar/jcal.ts';
import { ownPrefix } from '../icalendar/text/lines-of-property.ts';
import { aimedAt, withReply } from '../invitations/answer.ts';
import { organized, partOfOwner } from '../invitations/invite.ts';
import { partyOfMember, withMembers } from '../invitations/people.ts';
import { answered } from '../itip/messages.ts';
import { instanceKey } from '../itip/receive.ts';
import { attendeeOf, isSame, organizerParty, withEvents, withParams, type Part, type Party } from '../itip/self.ts';
import type { OpenObject } from '../objects/read.ts';
import { continued } from './continued.ts';
import { hasSameTimes } from './same-times.ts';

/** What a program wants to store, with what the people in it make of it. */
export interface Scheduled {
  /** as it is to be stored */
  readonly object: JcalComponent;
  /** what the owner of the calendar is in it */
  readonly part: Part;
  /** what the owner answers by it */
  readonly replies: readonly Reply[];
}

/** An answer in a copy that a program stores. */
export interface Reply {
  readonly events: readonly JcalComponent[];
  readonly partstat: string;
  readonly comment: string | undefined;
  /** the instance; undefined: the whole event */
  readonly at: string | undefined;
}

/**
 * Works out what is to be stored of an object that a program sends (RFC 6638 3.2): of those that name the owner of the calendar as the organizer, the
 * attendees are invited. Of what others organize the own answer, alarms, categories and transparency change, and nothing else.
 *
 * @param before what is there now
 * @throws Problem forbidden FORBIDDEN with the condition that it does not meet
 */
export async function scheduled(
  ctx: Context,
  { calendar, memberId }: { readonly calendar: OpenCalendar; readonly memberId: string },
  before: OpenObject | undefined,
  given: JcalComponent,
): Promise<Scheduled> {
  const object = withPrincipals(await withMembers(ctx, given));
  const was = before && (await schedulingPart(ctx, calendar, before.object));
  const owner = { ...(await partyOfMember(ctx, calendar.owner_id)), memberId: calendar.owner_id };
  if (before !== undefined && was === 'attendee') {
    const said = attended(before, object, owner, ctx.clock.now());
    if (said.replies.length > 0 && memberId !== calendar.owner_id)
      throw notTheirs('Only the owner of the calendar answers this invitation.');
    return { ...said, part: 'attendee' };
  }
  const is = await schedulingPart(ctx, calendar, object);
  const organizer = organizerParty(object);
  if (was === 'organizer' && organizer !== undefined && !isSame(organizer, owner)) {
    const message = 'The owner of the calendar organizes this event, and cannot make somebody else organize it.';
    throw davRefusal('forbidden', 'FORBIDDEN', 'c:allowed-organizer-scheduling-object-change', message);
  }
  if (is === 'attendee')
    return { object, part: is, replies: memberId === calendar.owner_id ? givenIn(object, owner) : [] };
  // Without an organizer nobody is invited, and what others organize, or a program tells people itself, is kept as it is.
  if (is === 'none' && (organizer !== undefined || was !== 'organizer')) return { object, part: 'none', replies: [] };
  const stored = await organized(ctx, calendar, continued(before, object, owner, ctx.clock.now()));
  return { object: stored, part: 'organizer', replies: [] };
}

/** What the owner of a calendar is in an event, as far as the server tells the others of it (RFC 6638 7.1). */
export async function schedulingPart(
  ctx: Context,
  calendar: Pick<OpenCalendar, 'owner_id'>,
  object: JcalComponent,
): Promise<Part> {
  const organizers = componentsOf(object, 'vevent').flatMap((event) => propertiesOf(event, 'organizer'));
  const tellsItself = organizers.some((one) => /^(?:client|none)$/i.test(paramOf(one, 'schedule-agent') ?? ''));
  return tellsItself ? 'none' : await partOfOwner(ctx, calendar, object);
}

/** Members by the addresses of their principals, which is all that they have where there is no mail. */
function withPrincipals(object: JcalComponent): JcalComponent {
  return withEvents(object, ([name, properties, components]) => [
    name,
    properties.map((property) => {
      const isPerson = property[0] === 'attendee' || property[0] === 'organizer';
      const id = isPerson ? /\/principals\/([0-9a-f]{24})\/?$/.exec(textOf(property))?.[1] : undefined;
      return id === undefined ? property : withParams(property, { [memberParam]: id });
    }),
    components,
  ]);
}

const answers: ReadonlySet<string> = new Set(['ACCEPTED', 'TENTATIVE', 'DECLINED']);

function partstatOf(property: JcalProperty | undefined): string {
  return ((property && paramOf(property, 'partstat')) ?? 'NEEDS-ACTION').toUpperCase();
}

function replyOf(event: JcalComponent, me: Party, at: string | undefined): Reply {
  const mine = attendeeOf(event, me);
  const comment = mine && paramOf(mine, 'x-response-comment');
  return { events: [event], partstat: partstatOf(mine), comment, at };
}

/** What a new copy answers. */
function givenIn(object: JcalComponent, me: Party): Reply[] {
  const events = componentsOf(object, 'vevent');
  const whole = events.find((event) => propertyOf(event, 'recurrence-id') === undefined);
  return whole !== undefined && answers.has(partstatOf(attendeeOf(whole, me))) ? [replyOf(whole, me, undefined)] : [];
}

/** The copy with what its attendee may change. */
function attended(
  open: OpenObject,
  given: JcalComponent,
  me: Party & { readonly memberId: string },
  now: number,
): Pick<Scheduled, 'object' | 'replies'> {
  const { zones } = open;
  let { object } = open;
  let whole: Reply | undefined;
  const single: Reply[] = [];
  const organizer = organizerParty(given);
  const known = organizerParty(object);
  if (organizer === undefined || known === undefined || !isSame(organizer, known)) throw notTheirs();
  const events = componentsOf(given, 'vevent').map((event) => ({ event, key: instanceKey(event, zones) }));
  const isSeries = ({ key }: { readonly key: string | undefined }): boolean => key === undefined;
  // The series first: an answer to it is one for all that have none of their own.
  for (const { event, key } of [...events.filter(isSeries), ...events.filter((one) => !isSeries(one))]) {
    const aimed = aimedAt({ ...open, object }, key, now);
    const there = aimed && componentsOf(aimed.object, 'vevent').find((one) => instanceKey(one, zones) === aimed.key);
    if (aimed === undefined || there === undefined) throw notTheirs();
    // To leave out an instance is to decline it.
    const kept = withProperties(event, ['exdate'], propertiesOf(there, 'exdate'));
    if (!hasSameTimes(there, kept, open)) throw notTheirs();
    const gone = key === undefined ? leftOut(there, event, open) : [];
    let after = withOwn(there, event);
    const [mine, answer] = [attendeeOf(there, me), attendeeOf(event, me)];
    if (mine !== undefined && answer !== undefined && partstatOf(mine) !== partstatOf(answer)) {
      const partstat = partstatOf(answer);
      if (!answers.has(partstat)) throw notTheirs('An answer is ACCEPTED, TENTATIVE or DECLINED.');
      after = answered(after, me, partstat);
      const reply = { events: [after], partstat, comment: paramOf(answer, 'x-response-comment'), at: key };
      if (key === undefined) whole = reply;
      else single.push(reply);
    }
    object = withEvents(aimed.object, (one) => (one === there ? after : one));
    for (const at of gone) {
      const said = withReply(open, { me, partstat: 'DECLINED', at }, now);
      const instance = findOccurrence(open, at);
      if (said === undefined || instance === undefined) throw notTheirs();
      single.push({ events: said.events, partstat: 'DECLINED', comment: undefined, at });
      const master = componentsOf(object, 'vevent').find((one) => instanceKey(one, zones) === undefined);
      object = withoutOne({ ...open, object, master }, instance);
    }
  }
  if (whole === undefined) return { object, replies: single };
  const { partstat } = whole;
  // Instances that were answered by themselves keep their answer.
  const others = componentsOf(object, 'vevent').flatMap((event) => {
    const key = instanceKey(event, zones);
    const own = partstatOf(attendeeOf(event, me));
    return key === undefined || own === partstat || !answers.has(own) ? [] : [replyOf(event, me, key)];
  });
  const more = single.filter((one) => one.partstat !== partstat && !others.some(({ at }) => at === one.at));
  return { object, replies: [whole, ...others, ...more] };
}

/** Instances that a copy has no longer. @throws Problem forbidden FORBIDDEN if it has others again */
function leftOut(there: JcalComponent, event: JcalComponent, { zones }: OpenObject): string[] {
  const [before = [], after = []] = [there, event].map((one) => toFields(one, zones)?.exdates);
  if (before.some((at) => !after.includes(at))) throw notTheirs();
  return after.filter((at) => !before.includes(at));
}

const own: ReadonlySet<string> = new Set(['transp', 'categories', 'color']);

function isOwn(name: string): boolean {
  return own.has(name) || (name.startsWith('x-') && !name.startsWith(ownPrefix));
}

function withOwn([name, properties]: JcalComponent, [, given, alarms]: JcalComponent): JcalComponent {
  const theirs = properties.filter(([one]) => !isOwn(one));
  return [name, [...theirs, ...given.filter(([one]) => isOwn(one))], alarms];
}

function notTheirs(
  message = 'Somebody else organizes this event. You can answer it, and change your reminders, categories and transparency.',
): Problem {
  return davRefusal('forbidden', 'FORBIDDEN', 'c:allowed-attendee-scheduling-object-change', message);
}
