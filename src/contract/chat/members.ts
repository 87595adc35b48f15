import * as v from 'valibot';
import { operation, prefixed } from '../operation.ts';
import { paged } from '../page.ts';
import { memberId } from '../text.ts';
import { chatMember, chatRole, type RoomType } from './conversation.ts';
import { epochErrors, epochOfAddition, epochOfChange } from './client-mode.ts';
import { chatLimits } from './limits.ts';
import { inConversation, roots } from './paths.ts';

const most = chatLimits.addedAtOnce;

export const memberIds = v.pipe(
  v.array(memberId, 'must be a list of members'),
  v.minLength(1, 'must not be empty'),
  v.maxLength(most, `must be at most ${most} members`),
);

const notThere = ['FORBIDDEN', 'CONVERSATION_NOT_FOUND'] as const;

/** Who is in conversations of one type that have roles. */
function membersOf<const T extends RoomType>(type: T) {
  const one = `${roots[type]}/:conversationId`;
  const common = { envelope: 'social', auth: 'member' } as const;
  const limit = { name: 'chatMembership' } as const;
  return {
    members: operation({
      ...common,
      id: `chat.${type}-members`,
      method: 'GET',
      path: `${one}/members`,
      scope: 'chat',
      bot: 'read',
      summary: 'List members with their roles, in the order of their ids',
      description: 'For members. With `role`, only those who have it.',
      ...paged({
        name: 'items',
        of: chatMember,
        filter: { ...inConversation, role: v.optional(chatRole) },
        limit: chatLimits.page,
        most: chatLimits.mostOnPage,
        end: 'null',
        errors: notThere,
      }),
      status: 200,
      message: 'Members',
    }),
    addMembers: operation({
      ...common,
      id: `chat.${type}-add-members`,
      method: 'POST',
      path: `${one}/members`,
      summary: 'Add members of the node',
      description:
        'For owners and admins. All of them or none. They see what is said from then on. Somebody who is suspended, or parted from you by a block, is as unknown as one who does not exist.',
      input: v.object({ ...inConversation, memberIds, epoch: epochOfAddition }),
      reply: v.object({ added: v.array(memberId) }),
      status: 200,
      message: 'Members added',
      creates: true,
      errors: [
        ...notThere,
        'MEMBER_NOT_FOUND',
        'ALREADY_IN_ROOM',
        'BANNED_FROM_ROOM',
        'ROOM_FULL',
        'CONVERSATIONS_FULL',
        ...epochErrors,
      ],
      limit,
    }),
    removeMember: operation({
      ...common,
      id: `chat.${type}-remove-member`,
      method: 'DELETE',
      path: `${one}/members/:memberId`,
      summary: 'Remove a member',
      description: 'For owners and admins, of members with a lower role. What is said from then on has another key.',
      input: v.object({ ...inConversation, memberId, epoch: epochOfChange }),
      reply: v.object({ removed: v.literal(true) }),
      status: 200,
      message: 'Member removed',
      errors: [...notThere, 'NOT_IN_ROOM', ...epochErrors],
      limit,
    }),
    leave: operation({
      ...common,
      id: `chat.${type}-leave`,
      method: 'POST',
      path: `${one}/leave`,
      summary: 'Leave',
      description:
        'What is said from then on has another key. The owner makes another member the owner before, unless nobody else is left: then it is deleted.',
      input: v.object(inConversation),
      reply: v.object({ left: v.literal(true) }),
      status: 200,
      message: 'Left',
      errors: [...notThere, 'LAST_OWNER'],
      limit,
    }),
    setRole: operation({
      ...common,
      id: `chat.${type}-set-role`,
      method: 'PUT',
      path: `${one}/roles/:memberId`,
      summary: 'Give a member a role',
      description: 'For the owner. Whoever gives the role `owner` hands over, and is an admin from then on.',
      input: v.object({ ...inConversation, memberId, role: chatRole }),
      reply: v.object({ memberId, role: chatRole }),
      status: 200,
      message: 'Role changed',
      errors: [...notThere, 'NOT_IN_ROOM', 'CONVERSATIONS_FULL'],
    }),
  };
}

export const members = { ...prefixed('group', membersOf('group')), ...prefixed('channel', membersOf('channel')) };
