import type { Context } from '../../../service/context.ts';
import type { Event } from '../../../contract/calendar/event.ts';
import type { search } from '../../../contract/calendar/search.ts';
import type { InputOf } from '../../../contract/operation.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { usernameKey } from '../../../shared/members/names.ts';
import type { OpenCalendar } from '../access.ts';
import { toEvent, toInstance } from '../events/dto.ts';
import { isSeries } from '../events/show.ts';
import type { OpenObject } from '../objects/read.ts';
import { openSeries } from '../recurrence/open-series.ts';

type Input = InputOf<typeof search.filterEvents>;

/** What events are to be like. Values of one kind are alternatives. */
export interface Conditions {
  readonly people: {
    readonly attendee: ReadonlySet<string> | undefined;
    readonly organizer: ReadonlySet<string> | undefined;
  };
  readonly words: Readonly<Partial<Record<'status' | 'visibility', ReadonlySet<string>>>>;
  readonly category: ReadonlySet<string> | undefined;
  readonly flags: Readonly<Partial<Record<'recurring' | 'hasAttendees' | 'allDay', boolean>>>;
}

export async function conditionsOf(ctx: Context, input: Input): Promise<Conditions> {
  const { status, visibility, category, recurring, hasAttendees, allDay } = input;
  const flag = (value: 'true' | 'false' | undefined) => (value === undefined ? undefined : value === 'true');
  return {
    people: { attendee: await peopleOf(ctx, input.attendee), organizer: await peopleOf(ctx, input.organizer) },
    words: { ...(status && { status: setOf(status) }), ...(visibility && { visibility: setOf(visibility) }) },
    category: category === undefined ? undefined : new Set([...setOf(category)].map((one) => one.toLowerCase())),
    flags: Object.fromEntries(
      Object.entries({ recurring, hasAttendees, allDay }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, flag(value)]],
      ),
    ),
  };
}

function setOf(value: string | readonly string[]): Set<string> {
  return new Set([value].flat());
}

const memberBy = writtenQuery<{ id: string }>('select id from members where username_key = $1');

/** Addresses in lower case, and ids of members. */
async function peopleOf(
  { db }: Context,
  value: string | readonly string[] | undefined,
): Promise<ReadonlySet<string> | undefined> {
  if (value === undefined) return undefined;
  const people = new Set<string>();
  for (const one of setOf(value)) {
    people.add(one.toLowerCase());
    if (one.includes('@')) continue;
    const { rows } = await db.executeQuery(memberBy(usernameKey(one)));
    for (const { id } of rows) people.add(id);
  }
  return people;
}

/** Whether the event, or an instance of it that was changed by itself, is like this as the reader sees it. */
export function fulfils(
  open: OpenObject,
  reader: { readonly memberId: string; readonly calendar: OpenCalendar },
  conditions: Conditions,
): boolean {
  if (conditions.flags.recurring !== undefined && conditions.flags.recurring !== isSeries(open)) return false;
  const event = toEvent(open, reader);
  if (event !== undefined && isLike(event, conditions)) return true;
  if (open.series.overrides.length === 0) return false;
  const { replaced } = openSeries(open.series, open.zones);
  return [...replaced.values()].some((instance) => {
    const shown = instance === undefined ? undefined : toInstance(open, instance, reader);
    return shown !== undefined && isLike(shown, conditions);
  });
}

function isLike(event: Event, { people, words, category, flags }: Conditions): boolean {
  const { attendee, organizer } = people;
  const { hasAttendees, allDay } = flags;
  return (
    (words.status?.has(event.status) ?? true) &&
    (words.visibility?.has(event.visibility) ?? true) &&
    (category === undefined || event.categories.some((one) => category.has(one.toLowerCase()))) &&
    (attendee === undefined || event.attendees.some((one) => isOneOf(attendee, one))) &&
    (organizer === undefined || isOneOf(organizer, { ...event.organizer, userId: event.organizerId })) &&
    (hasAttendees === undefined || hasAttendees === event.attendees.length > 0) &&
    (allDay === undefined || allDay === event.allDay)
  );
}

function isOneOf(
  people: ReadonlySet<string>,
  { userId, email }: { readonly userId?: string | undefined; readonly email?: string | undefined },
): boolean {
  return (userId !== undefined && people.has(userId)) || (email !== undefined && people.has(email.toLowerCase()));
}
