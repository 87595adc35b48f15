import * as v from 'valibot';
import { operation, rawOperation } from '../operation.ts';
import { moment, recordId, timestamp } from '../text.ts';
import { calendarRoot } from './fields.ts';
import { linkDetails } from './limits.ts';

const root = `${calendarRoot}/calendars/:calendarId/public-link`;
// Not with an app password: what it gives would outlive it.
const common = { envelope: 'calendar', auth: 'member' } as const;
const inCalendar = { calendarId: recordId };

const detail = v.pipe(
  v.picklist(linkDetails, 'must be viewer or freebusy'),
  v.description(
    '`viewer`: events, without what is private and without reminders. `freebusy`: when time is taken, and nothing else',
  ),
);

const link = v.object({
  calendarId: recordId,
  detail,
  createdAt: timestamp,
  expiresAt: v.optional(timestamp),
});
export type CalendarLink = v.InferOutput<typeof link>;

/** Secret addresses of calendars, prefix `/api/cal/calendars/:calendarId/public-link`. */
export const links = {
  createPublicLink: operation({
    ...common,
    id: 'calendar.create-link',
    method: 'POST',
    path: root,
    summary: 'Make a secret address of a calendar, for programs without a sign-in',
    description:
      'For its owner. Whoever knows the address reads the calendar. There is at most one for each `detail`; a new one takes the place of the one before, which opens nothing any more. The address is shown once.',
    input: v.object({
      ...inCalendar,
      detail: v.optional(detail, 'viewer'),
      expiresAt: v.optional(v.pipe(moment, v.description('in the future; the address does not expire if missing'))),
    }),
    reply: v.object({
      link,
      token: v.string(),
      url: v.string(),
      webcalUrl: v.pipe(v.string(), v.description('the same for programs that subscribe when it is opened')),
    }),
    secretReply: true,
    status: 201,
    message: 'Address made',
    errors: ['NOT_FOUND'],
    limit: { name: 'calendarSharing' },
  }),
  listPublicLinks: operation({
    ...common,
    id: 'calendar.links',
    method: 'GET',
    path: root,
    summary: 'List the secret addresses of a calendar',
    description: 'For its owner. Not the addresses themselves: nobody knows them any more.',
    input: v.object(inCalendar),
    reply: v.object({ links: v.array(link) }),
    status: 200,
    message: 'Addresses',
    errors: ['NOT_FOUND'],
  }),
  revokePublicLink: operation({
    ...common,
    id: 'calendar.revoke-link',
    method: 'DELETE',
    path: root,
    summary: 'Revoke the secret addresses of a calendar',
    description: 'For its owner. With `detail` only the one that shows so much.',
    input: v.object({ ...inCalendar, detail: v.optional(detail) }),
    reply: v.object({ success: v.literal(true) }),
    status: 200,
    message: 'Address revoked',
    errors: ['NOT_FOUND'],
    limit: { name: 'calendarSharing' },
  }),
  openPublicLink: rawOperation({
    envelope: 'calendar',
    auth: 'none',
    id: 'calendar.public',
    method: 'GET',
    path: `${calendarRoot}/public/:file`,
    summary: 'Read a calendar by its secret address',
    description:
      'As iCalendar. Programs send the `ETag` of what they have as `If-None-Match`. With `freebusy`, times are from a year ago to two years ahead. An address that was revoked, or has expired, is the same as one that never was.',
    input: v.object({ file: v.pipe(v.string('must be text'), v.description('the token, and `.ics`')) }),
    status: 200,
    errors: ['NOT_FOUND'],
    limit: { name: 'calendarLink' },
    accepts: [],
    produces: ['text/calendar'],
  }),
};
