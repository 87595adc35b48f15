import type { Mutant } from './mutant.ts';

const shares = ['test/services/calendar/shares.test.ts'];
const events = ['test/services/calendar/events.test.ts'];
const booking = ['test/services/calendar/booking-guests.test.ts'];
const appointments = ['test/services/calendar/appointments.test.ts'];
const bookingPage = ['test/http/pages/booking-page/booking-page.test.ts'];
const invitations = ['test/services/calendar/invitations.test.ts'];
const byMail = ['test/services/calendar/invitations-by-mail.test.ts'];
const order = ['test/services/calendar/itip/order.test.ts'];
const links = ['test/services/calendar/links.test.ts'];
const reminders = ['test/services/calendar/reminders.test.ts'];

export const calendarMutants: readonly Mutant[] = [
  {
    file: 'src/services/calendar/access.ts',
    what: 'what a share of a calendar allows',
    from: "  if (!allows(calendar.permission, needed)) throw new Problem('forbidden', 'FORBIDDEN', refusals[needed]);\n",
    to: '  [allows, refusals] satisfies unknown;\n',
    tests: events,
  },
  {
    file: 'src/services/calendar/access.ts',
    what: 'end of a share of a calendar',
    from: '(s.expires_at is null or s.expires_at > :now)',
    to: '(s.expires_at is null or s.expires_at > :now - :now)',
    tests: shares,
  },
  {
    file: 'src/services/calendar/access.ts',
    what: 'block of the owner of a calendar by whom it is shared with',
    from: 'b.member_id = s.granted_to and b.blocked_id = c.owner_id',
    to: 'b.member_id = s.granted_to and b.blocked_id = s.granted_to',
    tests: shares,
  },
  {
    file: 'src/services/calendar/objects/read.ts',
    what: 'events of a calendar of which one sees only when time is taken',
    from: "    if (calendar.permission === 'freebusy') throw notThere('event');\n",
    to: '',
    tests: events,
  },
  {
    file: 'src/services/calendar/events/dto.ts',
    what: 'private events before an editor',
    from: "  if (visibility === 'PRIVATE') return 'busy';\n",
    to: '',
    tests: events,
  },
  {
    file: 'src/services/calendar/events/update.ts',
    what: 'version of an event that somebody has read',
    from: 'if (ifMatch !== undefined && !ifMatch.includes(row.etag))',
    to: 'if (ifMatch !== undefined && ifMatch.length === 0)',
    tests: events,
  },
  {
    file: 'src/services/calendar/scheduling/visible-calendars.ts',
    what: 'whose time a stranger sees',
    from: '(is === 1 || row.shared === 1)',
    to: 'is >= 0',
    tests: ['test/services/calendar/scheduling.test.ts'],
  },
  {
    file: 'src/services/calendar/booking/reserve.ts',
    what: 'time of a host that is taken',
    from: '  if (slot === undefined) throw slotTaken();\n',
    to: '  if (slot === undefined) return { start_at: start, end_at: start + type.durationMinutes * MINUTE, busy_from: start, busy_to: start, seat: Math.floor(Math.random() * 1e9) };\n',
    tests: booking,
  },
  {
    file: 'src/services/calendar/booking/guest-data.ts',
    what: 'token of a guest',
    from: 'return constantTimeEqual(utf8(hash), utf8(hashOfToken(token)));',
    to: 'return [constantTimeEqual, hash, token].length > 0;',
    tests: appointments,
  },
  {
    file: 'src/http/pages/booking-page/form-token.ts',
    what: 'for what a form of a booking page is',
    from: 'JSON.stringify([slug, type, start, moment, nonce])',
    to: 'JSON.stringify([slug, type, start === moment, moment, nonce])',
    tests: bookingPage,
  },
  {
    file: 'src/http/pages/booking-page.ts',
    what: 'one booking of a form that is sent twice',
    from: '      requestId: state.nonce,\n',
    to: '',
    tests: bookingPage,
  },
  {
    file: 'src/services/calendar/invitations/message-job.ts',
    what: 'verified sender of an invitation',
    from: '    if (isSame(organizer, sender)) return true;\n    // Whoever acts',
    to: '    if (organizer.key !== sender.memberId) return true;\n    // Whoever acts',
    tests: byMail,
  },
  {
    file: 'src/services/calendar/itip/receive.ts',
    what: 'an answer to what was asked before the event changed',
    from: 'property === undefined || version.sequence < asked',
    to: 'property === undefined || asked < 0',
    tests: order,
  },
  {
    file: 'src/services/calendar/itip/versions.ts',
    what: 'an invitation that is older than what is known',
    from: '  if (inOrder ? known.series !== undefined && isNewer(known.series, version) : !isNewer(version, known.series))\n',
    to: '  if (inOrder && known.series !== undefined && isNewer(known.series, version))\n',
    tests: order,
  },
  {
    file: 'src/services/calendar/itip/versions.ts',
    what: 'a cancellation that came before what it cancels',
    from: 'series === undefined || cancelled >= series.sequence',
    to: 'series === undefined || cancelled > series.sequence',
    tests: order,
  },
  {
    file: 'src/services/calendar/invitations/deliver.ts',
    what: 'invitations of strangers, which wait',
    from: "if (autoAdd !== 'known') return autoAdd === 'all';",
    to: "if (autoAdd !== 'none') return true;",
    tests: invitations,
  },
  {
    file: 'src/services/calendar/invitations/deliver.ts',
    what: 'an event with the UID of an invitation that is another one',
    from: 'const taken = before === undefined || !isSame(before, organizer);',
    to: 'const taken = before === organizer;',
    tests: invitations,
  },
  {
    file: 'src/services/calendar/links.ts',
    what: 'end of a secret address of a calendar',
    from: 'return end === null || end > now;',
    to: 'return end === null || end > 0 || now === 0;',
    tests: links,
  },
  {
    file: 'src/services/calendar/links/public-text.ts',
    what: 'reminders of the owner behind a secret address',
    from: "components.filter(([inner]) => inner !== 'valarm')",
    to: 'components',
    tests: links,
  },
  {
    file: 'src/services/calendar/links/public-text.ts',
    what: 'whom a secret address shows a calendar as',
    from: "permission: 'viewer' as const",
    to: "permission: 'owner' as const",
    tests: links,
  },
  {
    file: 'src/services/calendar/reminders/reminder-job.ts',
    what: 'a reminder that comes once',
    from: 'where object_id = $1 and recurrence = $2 and alarm = $3 and member_id = $4 returning due_at`',
    to: "where object_id = $1 and recurrence = $2 and alarm = $3 and member_id = $4 and alarm = '' returning due_at`",
    tests: reminders,
  },
  {
    file: 'src/services/calendar/reminders/reminder-job.ts',
    what: 'mail of a reminder that is late',
    from: 'row.alarm !== NEXT && now - row.due_at < LATE_MS',
    to: 'row.alarm !== NEXT && now >= row.due_at',
    tests: reminders,
  },
];
