import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { actorField, recordId } from '../text.ts';
import { archivedFilter, chatMember, conversation, roomName } from './conversation.ts';
import { beginningErrors, beginningFields } from './client-mode.ts';
import { chatLimits } from './limits.ts';
import { memberIds } from './members.ts';
import { sendTo } from './messages.ts';
import { inConversation, roots } from './paths.ts';
import { retentionChange, retentionMs, slowModeChange, slowModeSeconds } from './room-rules.ts';

const root = roots.group;
const one = `${root}/:conversationId`;
const common = { envelope: 'social', auth: 'member' } as const;
const notThere = ['FORBIDDEN', 'CONVERSATION_NOT_FOUND'] as const;

const group = v.object({ ...conversation.entries, name: v.string(), members: v.array(chatMember) });
export type Group = v.InferOutput<typeof group>;

/** Conversations of several members with roles. */
export const groups = {
  createGroup: operation({
    ...common,
    id: 'chat.create-group',
    method: 'POST',
    path: root,
    summary: 'Create a group, as its owner',
    description: `A group has at most ${chatLimits.groupMembers} members. All of those named are in it, or it is not created.`,
    input: v.object({ creatorId: actorField, name: roomName, memberIds, ...beginningFields }),
    reply: group,
    status: 201,
    message: 'Group created',
    errors: ['MEMBER_NOT_FOUND', 'ROOM_FULL', 'CONVERSATIONS_FULL', ...beginningErrors],
    limit: { name: 'chatMembership' },
  }),
  listGroups: operation({
    ...common,
    id: 'chat.groups',
    method: 'GET',
    path: root,
    scope: 'chat',
    summary: 'List your groups, the newest activity first',
    description: 'Without `archived` those that you archived are left out. Members come with the group itself.',
    ...paged({
      name: 'items',
      of: conversation,
      filter: {
        archived: archivedFilter,
      },
      limit: chatLimits.page,
      most: chatLimits.mostOnPage,
      end: 'null',
    }),
    status: 200,
    message: 'Groups',
  }),
  showGroup: operation({
    ...common,
    id: 'chat.group',
    method: 'GET',
    path: one,
    scope: 'chat',
    summary: 'Show a group with its members and their roles',
    description: 'For its members. `unread` and the settings are yours.',
    input: v.object(inConversation),
    reply: group,
    status: 200,
    message: 'Group',
    errors: notThere,
  }),
  updateGroup: operation({
    ...common,
    id: 'chat.update-group',
    method: 'PUT',
    path: one,
    summary: 'Change a group',
    description: 'For its owner. Fields that are left out stay. All members hear of it, and the log has it.',
    input: v.object({
      ...inConversation,
      name: v.optional(roomName),
      slowModeSeconds: v.optional(slowModeChange),
      retentionMs: v.optional(retentionChange),
    }),
    reply: v.object({ id: recordId, name: v.string(), slowModeSeconds, retentionMs }),
    status: 200,
    message: 'Group changed',
    errors: notThere,
  }),
  deleteGroup: operation({
    ...common,
    id: 'chat.delete-group',
    method: 'DELETE',
    path: one,
    summary: 'Delete a group with everything that was said in it',
    description: 'For its owner. Its keys are destroyed at once.',
    input: v.object(inConversation),
    reply: v.object({ deleted: v.literal(true) }),
    status: 200,
    message: 'Group deleted',
    errors: notThere,
  }),
  sendToGroup: sendTo('group'),
};
