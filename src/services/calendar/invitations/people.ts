import type { Context } from '../../../service/context.ts';
import type { GivenEvent } from '../../../contract/calendar/event.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { writtenList } from '../../../platform/store/written-query.ts';
import { mailDomain } from '../../../shared/members/mail-domain.ts';
import { membersNamed } from '../../../shared/members/named.ts';
import { usernameIn } from '../../../shared/members/names.ts';
import { keyOf, memberParam, personOf, type Person } from '../icalendar/fields/people.ts';
import type { MemberLookup } from '../icalendar/fields/given-people.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { withEvents, withParams, type Party } from '../itip/self.ts';

type GivenAttendees = NonNullable<GivenEvent['attendees']>;

/** A member of this node, as others know them. */
export interface MemberPerson extends Person {
  readonly userId: string;
  readonly username: string;
  readonly active: boolean;
}

const byIds = writtenList<{ id: string; username: string; status: string }>(
  0,
  (ids) => `select id, username, status from members where id in ${ids}`,
);

export async function membersById(
  ctx: Pick<Context, 'db' | 'config'>,
  ids: readonly string[],
): Promise<Map<string, MemberPerson>> {
  if (ids.length === 0) return new Map();
  const { rows } = await ctx.db.executeQuery(byIds(ids));
  return new Map(
    rows.map((row) => [row.id, asPerson(ctx, { id: row.id, username: row.username, active: row.status === 'active' })]),
  );
}

function asPerson(
  ctx: Pick<Context, 'config'>,
  { id, username, active }: { readonly id: string; readonly username: string; readonly active: boolean },
): MemberPerson {
  const domain = mailDomain(ctx);
  return {
    userId: id,
    username,
    active,
    displayName: username,
    ...(domain !== '' && { email: `${username}@${domain}` }),
  };
}

/** A member as organizer or attendee. */
export async function partyOfMember(ctx: Pick<Context, 'db' | 'config'>, memberId: string): Promise<Party> {
  const found = (await membersById(ctx, [memberId])).get(memberId);
  return { memberId, key: keyOf(found ?? { userId: memberId }) };
}

/** The username that a mail address of this node means. @returns undefined for other addresses */
export function usernameOf(ctx: Pick<Context, 'config'>, email: string): string | undefined {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1).toLowerCase();
  return at > 0 && domain === mailDomain(ctx).toLowerCase() ? usernameIn(email.slice(0, at)) : undefined;
}

export interface ResolvedAttendees {
  readonly attendees: GivenAttendees;
  readonly memberOf: MemberLookup;
  readonly memberIds: readonly string[];
}

/**
 * Attendees with members by their ids, whether they were named by id, username, mailbox or verified address.
 * @throws Problem invalid VALIDATION_ERROR for who is no member, and for addresses of this node that are no mailbox
 */
export async function resolveAttendees(
  ctx: Pick<Context, 'db' | 'config'>,
  given: GivenAttendees,
): Promise<ResolvedAttendees> {
  const names = given.map(({ userId, email = '' }) => userId ?? usernameOf(ctx, email) ?? email);
  const wanted = [...new Set(names)];
  const members = await membersNamed(ctx, wanted);
  const found = new Map(wanted.map((name, at) => [name, members[at]]));
  const people = new Map<string, MemberPerson>();
  const attendees = given.map((attendee, at) => {
    const name = names[at] ?? '';
    const member = found.get(name);
    if (member?.active !== true) {
      if (attendee.userId !== undefined) throw fieldProblem(`attendees.${at}.userId`, 'is not a member');
      // An address elsewhere is one, whoever it belongs to.
      if (name === attendee.email) return attendee;
      throw fieldProblem(`attendees.${at}.email`, 'is no mailbox of this node');
    }
    people.set(member.id, asPerson(ctx, member));
    const { email: _, displayName: __, ...rest } = attendee;
    return { ...rest, userId: member.id };
  });
  return { attendees, memberOf: personIn(people), memberIds: [...people.keys()] };
}

function personIn(people: ReadonlyMap<string, MemberPerson>): MemberLookup {
  return (id) => {
    const member = people.get(id);
    if (member === undefined) return undefined;
    const { active: _, username: __, ...person } = member;
    return person;
  };
}

/** The object with the ids of those organizers and attendees who are members of this node, by their addresses. */
export async function withMembers(ctx: Pick<Context, 'db' | 'config'>, object: JcalComponent): Promise<JcalComponent> {
  const names = new Map<string, string>();
  for (const event of object[2])
    for (const property of event[1]) {
      if (property[0] !== 'attendee' && property[0] !== 'organizer') continue;
      const { email } = personOf(property);
      const name = email === undefined ? undefined : usernameOf(ctx, email);
      if (email !== undefined && name !== undefined) names.set(email, name);
    }
  const wanted = [...new Set(names.values())];
  const members = await membersNamed(ctx, wanted);
  const ids = new Map(wanted.map((name, at) => [name, members[at]?.id]));
  return withEvents(object, ([kind, properties, components]) => [
    kind,
    properties.map((property) => {
      if (property[0] !== 'attendee' && property[0] !== 'organizer') return property;
      const { email } = personOf(property);
      return withParams(property, { [memberParam]: ids.get(names.get(email ?? '') ?? '') });
    }),
    components,
  ]);
}
