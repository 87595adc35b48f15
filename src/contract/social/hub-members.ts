import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { ownKeysInput, ownKeysReply } from '../room-keys/fields.ts';
import { actorField, memberId, recordId, timestamp } from '../text.ts';
import { hubRoles, idOrSlug } from './hub.ts';
import { hubLimits } from './hubs/limits.ts';
import { person, personName } from './person.ts';

const root = '/api/social/hubs';
const named = `${root}/:idOrSlug`;
const one = `${root}/:id`;

const userIds = v.pipe(
  v.array(personName, 'must be a list of members'),
  v.minLength(1, 'must not be empty'),
  v.maxLength(hubLimits.membersAtOnce, `must be at most ${hubLimits.membersAtOnce} members`),
);

const hubMember = v.object({
  ...person.entries,
  role: v.picklist(hubRoles),
  joinedAt: timestamp,
});
export type HubMember = v.InferOutput<typeof hubMember>;

const ofOwner = { envelope: 'social', auth: 'member', status: 200 } as const;

/** Who is in a hub. */
export const hubMembers = {
  joinHub: operation({
    id: 'social.join-hub',
    method: 'POST',
    path: `${named}/join`,
    envelope: 'social',
    auth: 'member',
    limit: { name: 'socialMembership' },
    summary: 'Become a member of a hub',
    description: 'Whoever is banned from the hub, or from the hub above it, cannot.',
    input: v.object({ idOrSlug, userId: actorField }),
    reply: v.object({ hubId: recordId }),
    status: 200,
    message: 'Joined the hub',
    creates: true,
    errors: ['FORBIDDEN', 'HUB_NOT_FOUND', 'BANNED_FROM_HUB', 'ALREADY_IN_HUB', 'HUB_FULL'],
  }),
  leaveHub: operation({
    id: 'social.leave-hub',
    method: 'POST',
    path: `${named}/leave`,
    envelope: 'social',
    auth: 'member',
    limit: { name: 'socialMembership' },
    summary: 'Leave a hub',
    description: 'The owner cannot, without making another member the owner.',
    input: v.object({ idOrSlug, userId: actorField }),
    reply: v.object({ hubId: recordId }),
    status: 200,
    message: 'Left the hub',
    errors: ['HUB_NOT_FOUND', 'HUB_MEMBER_NOT_FOUND', 'HUB_OWNER_STAYS'],
  }),
  addHubMembers: operation({
    ...ofOwner,
    id: 'social.add-hub-members',
    method: 'POST',
    path: `${one}/members`,
    summary: 'Add members of the node to a hub',
    description: 'For its owner. All of them or none. Those who are in the hub stay as they are.',
    input: v.object({ id: recordId, ownerId: actorField, userIds }),
    reply: v.object({ added: v.array(memberId) }),
    message: 'Members added',
    creates: true,
    errors: ['FORBIDDEN', 'HUB_NOT_FOUND', 'MEMBER_NOT_FOUND', 'ALREADY_BANNED', 'HUB_FULL'],
  }),
  removeHubMembers: operation({
    ...ofOwner,
    id: 'social.remove-hub-members',
    method: 'DELETE',
    path: `${one}/members`,
    summary: 'Remove members from a hub',
    description: 'For its owner. All of them or none. They can join again.',
    input: v.object({ id: recordId, ownerId: actorField, userIds }),
    reply: v.object({ removed: v.array(memberId) }),
    message: 'Members removed',
    errors: ['FORBIDDEN', 'HUB_NOT_FOUND', 'MEMBER_NOT_FOUND', 'HUB_MEMBER_NOT_FOUND', 'HUB_OWNER_STAYS'],
  }),
  listHubMembers: operation({
    id: 'social.hub-members',
    method: 'GET',
    path: `${one}/members-list`,
    envelope: 'social',
    auth: 'member',
    summary: 'List the members of a hub, in the order in which they joined',
    description:
      'Of an encrypted hub for members alone, and never for who is banned. Members who are suspended, or between whom and you there is a block, are ' +
      'shown to moderators alone.',
    ...paged({
      name: 'items',
      of: hubMember,
      filter: { id: recordId },
      errors: ['FORBIDDEN', 'BANNED_FROM_HUB', 'HUB_NOT_FOUND'],
    }),
    status: 200,
    message: 'Members of the hub',
  }),
  listHubKeys: operation({
    ...ofOwner,
    id: 'social.hub-keys',
    method: 'GET',
    path: `${one}/keys`,
    summary: 'List your keys of an encrypted hub',
    description:
      'For its members. An encrypted hub has a new key, with the next number (epoch), after each change of its members. Each key is encrypted to your ' +
      'public key. You have those from the time on at which you became a member.',
    input: v.object({ id: recordId, userId: actorField, ...ownKeysInput }),
    reply: v.object({ hubId: recordId, ...ownKeysReply }),
    message: 'Your keys',
    errors: ['FORBIDDEN', 'BANNED_FROM_HUB', 'HUB_NOT_FOUND', 'HUB_NOT_ENCRYPTED'],
  }),
  addModerator: operation({
    ...ofOwner,
    id: 'social.add-moderator',
    method: 'POST',
    path: `${one}/moderators`,
    summary: 'Make a member of a hub a moderator',
    description: 'For the owner of the hub.',
    input: v.object({ id: recordId, ownerId: actorField, userId: personName }),
    reply: v.object({ moderatorIds: v.array(memberId) }),
    message: 'Moderator added',
    creates: true,
    errors: ['FORBIDDEN', 'HUB_NOT_FOUND', 'MEMBER_NOT_FOUND', 'HUB_MEMBER_NOT_FOUND', 'ALREADY_MODERATOR'],
  }),
  removeModerator: operation({
    ...ofOwner,
    id: 'social.remove-moderator',
    method: 'DELETE',
    path: `${one}/moderators`,
    summary: 'Make a moderator of a hub a plain member',
    description: 'For the owner of the hub.',
    input: v.object({ id: recordId, ownerId: actorField, userId: personName }),
    reply: v.object({ moderatorIds: v.array(memberId) }),
    message: 'Moderator removed',
    errors: ['FORBIDDEN', 'HUB_NOT_FOUND', 'MEMBER_NOT_FOUND', 'HUB_MEMBER_NOT_FOUND', 'HUB_OWNER_STAYS'],
  }),
};
