import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { actorField, recordId, timestamp } from '../text.ts';
import {
  archivedFilter,
  channelName,
  channelTopic,
  channelVisibility,
  chatMember,
  conversation,
} from './conversation.ts';
import { beginningErrors, beginningFields } from './client-mode.ts';
import { chatLimits } from './limits.ts';
import { sendTo } from './messages.ts';
import { inConversation, roots } from './paths.ts';
import { retentionChange, retentionMs, slowModeChange, slowModeSeconds } from './room-rules.ts';

const root = roots.channel;
const one = `${root}/:conversationId`;
const common = { envelope: 'social', auth: 'member' } as const;
const notThere = ['FORBIDDEN', 'CONVERSATION_NOT_FOUND'] as const;

const historyVisible = v.pipe(
  v.boolean('must be true or false'),
  v.description('whether members who join see what was said before, since this was last switched on'),
);

/** What everybody may know of a channel that they can find. */
const about = {
  id: recordId,
  name: v.string(),
  topic: v.string(),
  visibility: channelVisibility,
  memberCount: v.number(),
  createdAt: timestamp,
  joined: v.pipe(v.boolean(), v.description('whether you are a member')),
};
const found = v.object(about);
export type FoundChannel = v.InferOutput<typeof found>;

const ofMembers = v.object({
  ...conversation.entries,
  historyVisibleToNewMembers: historyVisible,
  members: v.pipe(
    v.array(chatMember),
    v.description(`the first ${chatLimits.shownMembers} in the order of their ids; \`memberCount\` counts all`),
  ),
  pinnedMessageIds: v.array(recordId),
});
const channel = v.object({ ...v.partial(ofMembers).entries, ...about });
export type Channel = v.InferOutput<typeof channel>;

const pages = { limit: chatLimits.page, most: chatLimits.mostOnPage, end: 'null' } as const;

/** Conversations with a name that members of the node find and join, or are invited to. */
export const channels = {
  createChannel: operation({
    ...common,
    id: 'chat.create-channel',
    method: 'POST',
    path: root,
    summary: 'Create a channel, as its owner',
    description: `Its name is not that of another one on the node, whatever its case. A channel has at most ${chatLimits.channelMembers} members.`,
    input: v.object({
      creatorId: actorField,
      name: channelName,
      visibility: channelVisibility,
      topic: v.optional(channelTopic, ''),
      historyVisibleToNewMembers: v.optional(
        v.pipe(historyVisible, v.description('default: true, and false in mode `client`, where it must be')),
      ),
      ...beginningFields,
    }),
    reply: channel,
    status: 201,
    message: 'Channel created',
    errors: ['CHANNEL_NAME_TAKEN', 'CONVERSATIONS_FULL', ...beginningErrors],
    limit: { name: 'chatMembership' },
  }),
  listChannels: operation({
    ...common,
    id: 'chat.channels',
    method: 'GET',
    path: root,
    scope: 'chat',
    summary: 'List channels that can be found, in the order of their names',
    description:
      'Public and private ones, whether you are in them or not. Secret and invisible ones are in no such list.',
    ...paged({
      name: 'items',
      of: found,
      filter: { name: v.optional(v.pipe(channelName, v.description('only the one with this name'))) },
      ...pages,
    }),
    status: 200,
    message: 'Channels',
  }),
  joinedChannels: operation({
    ...common,
    id: 'chat.joined-channels',
    method: 'GET',
    path: `${root}/joined`,
    scope: 'chat',
    summary: 'List the channels that you are in, the newest activity first',
    description: 'Of every visibility. Without `archived` those that you archived are left out.',
    ...paged({ name: 'items', of: conversation, filter: { archived: archivedFilter }, ...pages }),
    status: 200,
    message: 'Channels',
  }),
  showChannel: operation({
    ...common,
    id: 'chat.channel',
    method: 'GET',
    path: one,
    scope: 'chat',
    summary: 'Show a channel',
    description:
      'For members with its members and what is theirs. Others see of a public one what the list has, of a private one nothing, and a secret or invisible one is as unknown as one that does not exist.',
    input: v.object(inConversation),
    reply: channel,
    status: 200,
    message: 'Channel',
    errors: notThere,
  }),
  updateChannel: operation({
    ...common,
    id: 'chat.update-channel',
    method: 'PUT',
    path: one,
    summary: 'Change a channel',
    description:
      'For its owner. Fields that are left out stay. With `historyVisibleToNewMembers` switched on, those who join see what is said from then on, and nothing of before. All members hear of it, and the log has it.',
    input: v.object({
      ...inConversation,
      name: v.optional(channelName),
      topic: v.optional(channelTopic),
      visibility: v.optional(channelVisibility),
      historyVisibleToNewMembers: v.optional(historyVisible),
      slowModeSeconds: v.optional(slowModeChange),
      retentionMs: v.optional(retentionChange),
    }),
    reply: v.object({
      id: recordId,
      name: v.string(),
      topic: v.string(),
      visibility: channelVisibility,
      historyVisibleToNewMembers: historyVisible,
      slowModeSeconds,
      retentionMs,
    }),
    status: 200,
    message: 'Channel changed',
    errors: [...notThere, 'CHANNEL_NAME_TAKEN'],
    limit: { name: 'chatMembership' },
  }),
  deleteChannel: operation({
    ...common,
    id: 'chat.delete-channel',
    method: 'DELETE',
    path: one,
    summary: 'Delete a channel with everything that was said in it',
    description: 'For its owner. Its keys are destroyed at once, and its name is free.',
    input: v.object(inConversation),
    reply: v.object({ deleted: v.literal(true) }),
    status: 200,
    message: 'Channel deleted',
    errors: notThere,
  }),
  joinChannel: operation({
    ...common,
    id: 'chat.join-channel',
    method: 'POST',
    path: `${one}/join`,
    summary: 'Join a public channel',
    description: 'Others are joined by an invite.',
    input: v.object(inConversation),
    reply: v.object({ joined: v.literal(true) }),
    status: 200,
    message: 'Joined',
    errors: [...notThere, 'ALREADY_IN_ROOM', 'ROOM_FULL', 'CONVERSATIONS_FULL'],
    limit: { name: 'chatMembership' },
  }),
  sendToChannel: sendTo('channel'),
};
