import type { HouseMember } from '../../support/prepared-member.ts';

type Fetch = (request: Request) => Promise<Response>;
// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** Calendars and events with success, as the documents have them. Over any fetch-shaped transport. @returns the event that is left */
export async function runCalendarScenario(
  fetch: Fetch,
  base: string,
  { ada, bob }: Readonly<Record<'ada' | 'bob', HouseMember>>,
): Promise<string> {
  const call = async (
    method: string,
    path: string,
    body?: object,
    { token }: Pick<HouseMember, 'token'> = ada,
  ): Promise<Json> => {
    const response = await fetch(
      new Request(`${base}/api/cal${path}`, {
        method,
        headers: {
          ...(token !== '' && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.headers.get('content-type')?.startsWith('text/') === true
      ? { icsData: await response.text() }
      : await response.json();
  };

  const nobody = { token: '' };
  const { calendar } = await call('POST', '/calendars', {
    displayName: 'Work',
    color: '#FA0',
    timezone: 'Europe/Berlin',
  });
  const one = `/calendars/${calendar.id}`;
  await call('PATCH', one, { description: 'Meetings', displayName: 'Office' });
  await call('GET', one);
  const { share } = await call('POST', `${one}/shares`, { grantedToUserId: bob.memberId, permission: 'editor' });
  await call('GET', `${one}/shares`);

  const given = { calendarId: calendar.id, summary: 'Stand-up', dtstart: '2026-03-23T09:00:00', duration: 'PT15M' };
  const { event } = await call('POST', '/events', { ...given, rrule: 'FREQ=WEEKLY;BYDAY=MO', location: 'Room 1' });
  const range = 'start=2026-03-23&end=2026-04-20';
  const { events } = await call('GET', `/events?${range}&timezone=Europe/Berlin`, undefined, bob);
  await call('GET', `/events?calendarId=${calendar.id}`);
  await call('GET', `/events/${events[1].id}`);
  await call('GET', `/events/${event.id}/instances?${range}`);
  await call('PATCH', `/events/${events[1].id}`, { summary: 'Planning' }, bob);
  const later = {
    modificationMode: 'thisAndFuture',
    recurrenceId: events[2].recurrenceId,
    dtstart: '2026-04-07T10:00:00',
  };
  await call('PATCH', `/events/${event.id}`, later);
  await call('GET', `/search?q=planning&calendarIds=${calendar.id}`);
  await call('GET', '/search/filter?recurring=true');
  const file = await call('GET', `/export/${calendar.id}/ics`);
  await call('GET', `/export/${calendar.id}/json`);
  await call('POST', `/export/${calendar.id}/import`, { ...file, duplicateMode: 'overwrite' });
  await call('DELETE', `/events/${events[0].id}`);

  const everyDay = [0, 1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({ dayOfWeek, startTime: '00:00', endTime: '24:00' }));
  const kind = { name: 'Talk', durationMinutes: 60, availableWindows: everyDay };
  const { page } = await call('POST', '/booking/pages', {
    slug: 'ada-talks',
    title: 'Talks',
    appointmentTypes: [kind],
  });
  const { page: seen } = await call('GET', `/booking/pages/${page.slug}`, undefined, nobody);
  const { slots } = await call('GET', `/booking/pages/${seen.slug}/slots?appointmentType=Talk`, undefined, nobody);
  const guest = { appointmentType: 'Talk', bookerName: 'Eve', bookerEmail: 'eve@else.example' };
  const booked = { ...guest, startTime: slots[0].start };
  const { appointment } = await call('POST', `/booking/pages/${seen.slug}/book`, booked, nobody);
  await call('DELETE', `/booking/appointments/${appointment.id}`, { reason: 'Away' });
  const when = { dtstart: '2027-03-25T09:00:00', duration: 'PT1H', tzid: 'Europe/Berlin' };
  const invited = await call('POST', '/events', { summary: 'Review', ...when, attendees: [{ userId: bob.memberId }] });
  const week = { rangeStart: '2027-03-22', rangeEnd: '2027-03-27', timezone: 'Europe/Berlin' };
  await call('POST', '/scheduling/free-busy', { userIds: [ada.memberId], ...week }, bob);
  const wanted = { requiredAttendees: [bob.memberId], durationMinutes: 60, ...week };
  await call('POST', '/scheduling/find-available-times', wanted);
  const { invitations } = await call('GET', '/invitations', undefined, bob);
  const { eventId } = invitations[0];
  await call('POST', '/invitations/rsvp', { eventId, response: 'ACCEPTED' }, bob);
  const counter = { eventId, proposedStart: '2027-03-26T09:00:00', proposedEnd: '2027-03-26T10:00:00' };
  for (const decision of ['decline', 'accept']) {
    const { counterProposalId } = await call('POST', '/invitations/counter', counter, bob);
    await call('POST', `/invitations/${decision}-counter`, { eventId: invited.event.id, counterProposalId });
  }
  await call('DELETE', `/events/${invited.event.id}`);
  await call('DELETE', `/events/${eventId}`, undefined, bob);

  const { calendar: other } = await call('POST', '/calendars', { displayName: 'Home' });
  await call('PATCH', `/events/${event.id}`, { calendarId: other.id });
  await call('DELETE', `${one}/shares/${share.id}`);
  await call('DELETE', one);
  await call('GET', '/calendars');
  await call('GET', '/holiday-catalog?country=de-by&year=2026');
  await call('GET', '/holiday-catalog/de-by.ics');
  return event.id as string;
}
