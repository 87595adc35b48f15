import * as v from 'valibot';
import { moment, recordId, memberName, timestamp } from '../text.ts';
import { operation } from '../operation.ts';
import { calendarRoot, granted } from './fields.ts';
import { calendarLimits } from './limits.ts';

const root = `${calendarRoot}/calendars/:calendarId/shares`;
const common = { envelope: 'calendar', auth: 'member' } as const;
const inCalendar = { calendarId: recordId };

const share = v.object({
  id: recordId,
  calendarId: recordId,
  grantedTo: v.object({ id: v.string(), username: v.string() }),
  permission: granted,
  createdAt: timestamp,
  expiresAt: v.optional(timestamp),
});
export type CalendarShare = v.InferOutput<typeof share>;

/** Who else may see a calendar, prefix `/api/cal/calendars/:calendarId/shares`. */
export const shares = {
  shareCalendar: operation({
    ...common,
    id: 'calendar.add-share',
    method: 'POST',
    path: root,
    summary: 'Share a calendar with a member',
    description: `For its owner. At most ${calendarLimits.shares} members. Who is unknown, suspended or blocked is the same 404.`,
    input: v.object({
      ...inCalendar,
      grantedToUserId: v.pipe(memberName, v.description('id, username or verified e-mail address of the member')),
      permission: v.optional(granted, 'viewer'),
      expiresAt: v.optional(v.pipe(moment, v.description('in the future; the share does not expire if missing'))),
    }),
    reply: v.object({ share }),
    status: 201,
    message: 'Calendar shared',
    errors: ['NOT_FOUND', 'CONFLICT', 'SHARES_FULL'],
    limit: { name: 'calendarSharing' },
  }),
  listShares: operation({
    ...common,
    id: 'calendar.shares',
    method: 'GET',
    path: root,
    summary: 'List who a calendar is shared with',
    description: 'For the owner of the calendar.',
    input: v.object(inCalendar),
    reply: v.object({ shares: v.array(share) }),
    status: 200,
    message: 'Shares',
    errors: ['NOT_FOUND'],
  }),
  removeShare: operation({
    ...common,
    id: 'calendar.remove-share',
    method: 'DELETE',
    path: `${root}/:shareId`,
    summary: 'End a share of a calendar',
    description: 'For the owner of the calendar, and for who it was shared with.',
    input: v.object({ ...inCalendar, shareId: recordId }),
    reply: v.object({ success: v.literal(true) }),
    status: 200,
    message: 'Share ended',
    errors: ['NOT_FOUND'],
    limit: { name: 'calendarSharing' },
  }),
};
