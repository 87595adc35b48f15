import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged, pagedOrWhole } from '../page.ts';
import { actorField, integer, memberId, paragraph, recordId, timestamp } from '../text.ts';
import { hubActions } from './hub.ts';
import { hubLimits } from './hubs/limits.ts';
import { personName } from './person.ts';
import { keepsDirection, visible } from '../shown-text.ts';

const one = '/api/social/hubs/:id';

/** Notifications quote it inside of a sentence. */
const reason = v.pipe(
  paragraph(hubLimits.reason),
  v.trim(),
  v.minLength(1, 'must not be empty'),
  visible,
  keepsDirection,
);

const bannedUser = v.object({
  _id: recordId,
  hubId: recordId,
  userId: memberId,
  username: v.string(),
  bannedBy: v.pipe(v.optional(memberId), v.description('missing if the moderator left the social network')),
  bannedAt: timestamp,
  reason: v.optional(v.string()),
  expiresAt: v.pipe(v.optional(timestamp), v.description('missing if a moderator has to lift it')),
});
export type BannedUser = v.InferOutput<typeof bannedUser>;

const logEntry = v.object({
  _id: recordId,
  hubId: recordId,
  action: v.picklist(hubActions),
  moderatorId: v.pipe(v.optional(memberId), v.description('missing if the moderator left the social network')),
  moderatorUsername: v.optional(v.string()),
  userId: v.pipe(v.optional(memberId), v.description('whom it concerns')),
  username: v.optional(v.string()),
  postId: v.optional(recordId),
  reason: v.optional(v.string()),
  expiresAt: v.pipe(v.optional(timestamp), v.description('the end of a ban')),
  createdAt: timestamp,
});
export type HubLogEntry = v.InferOutput<typeof logEntry>;

const moderating = { envelope: 'social', auth: 'member', status: 200 } as const;
const target = { id: recordId, moderatorId: actorField, userId: personName };

/** What owners and moderators of a hub do about members and posts. */
export const moderation = {
  banMember: operation({
    ...moderating,
    id: 'social.ban-member',
    method: 'POST',
    path: `${one}/ban`,
    summary: 'Ban a member from a hub until the ban is lifted',
    description:
      'For its owner and moderators. Whoever has an equal or higher role cannot be banned. The ban is one from the hubs below too. A hub below that ' +
      'the member owned goes to the owner of this hub.',
    input: v.object({ ...target, reason: v.optional(reason) }),
    reply: v.object({ ban: bannedUser }),
    message: 'Member banned',
    creates: true,
    errors: ['FORBIDDEN', 'HUB_NOT_FOUND', 'MEMBER_NOT_FOUND', 'ALREADY_BANNED'],
  }),
  unbanMember: operation({
    ...moderating,
    id: 'social.unban-member',
    method: 'POST',
    path: `${one}/unban`,
    summary: 'Lift the ban of a member from a hub',
    description: 'For its owner and moderators. The member can join again.',
    input: v.object(target),
    reply: v.object({ userId: memberId }),
    message: 'Ban lifted',
    errors: ['FORBIDDEN', 'HUB_NOT_FOUND', 'MEMBER_NOT_FOUND', 'HUB_BAN_NOT_FOUND'],
  }),
  warnMember: operation({
    ...moderating,
    id: 'social.warn-member',
    method: 'POST',
    path: `${one}/warn`,
    summary: 'Warn a member of a hub',
    description: 'For its owner and moderators. It stays in the moderation log, and the member is notified.',
    input: v.object({ ...target, reason }),
    reply: v.object({ warning: logEntry }),
    message: 'Member warned',
    creates: true,
    errors: ['FORBIDDEN', 'HUB_NOT_FOUND', 'MEMBER_NOT_FOUND', 'HUB_MEMBER_NOT_FOUND'],
  }),
  banForDays: operation({
    ...moderating,
    id: 'social.ban-for-days',
    method: 'POST',
    path: `${one}/temp-ban`,
    summary: 'Ban a member from a hub for some days',
    description:
      'As a ban, which is over at the millisecond that `expiresAt` names. Whoever is banned for good stays so, until that ban is lifted.',
    input: v.object({ ...target, durationDays: integer(1, hubLimits.banDays), reason }),
    reply: v.object({ ban: bannedUser }),
    message: 'Member banned for a time',
    creates: true,
    errors: ['FORBIDDEN', 'HUB_NOT_FOUND', 'MEMBER_NOT_FOUND', 'ALREADY_BANNED'],
  }),
  listBanned: operation({
    id: 'social.banned',
    method: 'GET',
    path: `${one}/banned`,
    envelope: 'social',
    auth: 'member',
    summary: 'List the bans from a hub that are in force, the latest first',
    description: 'For its owner and moderators. Bans from the hub above are not listed.',
    ...pagedOrWhole({
      name: 'bannedUsers',
      of: bannedUser,
      filter: { id: recordId, userId: actorField },
      errors: ['FORBIDDEN', 'HUB_NOT_FOUND'],
    }),
    status: 200,
    message: 'Banned members',
  }),
  listModerationLog: operation({
    id: 'social.moderation-log',
    method: 'GET',
    path: `${one}/moderation-log`,
    envelope: 'social',
    auth: 'member',
    summary: 'List what owners and moderators of a hub did, the latest first',
    description: 'For its owner and moderators.',
    ...paged({
      name: 'entries',
      of: logEntry,
      filter: {
        id: recordId,
        action: v.optional(v.picklist(hubActions, `must be one of ${hubActions.join(', ')}`)),
        userId: v.optional(v.pipe(personName, v.description('only what concerns this member'))),
      },
      errors: ['FORBIDDEN', 'HUB_NOT_FOUND', 'MEMBER_NOT_FOUND'],
    }),
    status: 200,
    message: 'Moderation log',
  }),
};
