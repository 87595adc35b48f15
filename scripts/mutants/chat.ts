import type { Mutant } from './mutant.ts';

const bounds = ['test/services/chat/bounds.test.ts'];
const roles = ['test/services/chat/roles.test.ts'];

export const chatMutants: readonly Mutant[] = [
  {
    file: 'src/shared/conversations/moderation.ts',
    what: 'role of whoever lifts a ban',
    from: "    requirePermission(seat, 'KICK_MEMBERS');\n    if (!(await liftBan",
    to: '    if (!(await liftBan',
    tests: roles,
  },
  {
    file: 'src/services/chat/messages.ts',
    what: 'role of whoever unpins a message',
    from: "        requirePermission(seat, 'PIN_MESSAGES');\n        const row = await requireUndeleted(tx, seat, messageId);\n        await requireVoice(tx, seat, actor.memberId);\n        await unpinMessage",
    to: '        const row = await requireUndeleted(tx, seat, messageId);\n        await requireVoice(tx, seat, actor.memberId);\n        await unpinMessage',
    tests: roles,
  },
  {
    file: 'src/services/chat/channels.ts',
    what: 'role of whoever deletes a channel',
    from: "    requirePermission(seat, 'MANAGE_CHANNEL');\n",
    to: '    requirePermission satisfies unknown;\n',
    tests: roles,
  },
  {
    file: 'src/shared/conversations/mentions.ts',
    what: 'role of whoever names all in a large conversation',
    from: 'if (seat.member_count <= chatLimits.notifiesOfAll',
    to: 'if (seat.member_count >= 0',
    tests: bounds,
  },
  {
    file: 'src/shared/conversations/mentions.ts',
    what: 'most members whom a message of a conversation names',
    from: 'if (names.size > chatLimits.mentions)',
    to: 'if (names.size < 0)',
    tests: bounds,
  },
  {
    file: 'src/shared/conversations/rooms.ts',
    what: 'most conversations that a member owns',
    from: 'if (count < chatLimits.owned) return;',
    to: 'if (count >= 0) return;',
    tests: bounds,
  },
  {
    file: 'src/shared/conversations/types.ts',
    what: 'most members of a group',
    from: 'members: chatLimits.groupMembers',
    to: 'members: chatLimits.channelMembers',
    tests: bounds,
  },
  {
    file: 'src/shared/conversations/conversation.ts',
    what: 'most members of a conversation that only they can read',
    from: 'Math.min(members, chatLimits.clientMembers)',
    to: 'members',
    tests: bounds,
  },
  {
    file: 'src/contract/chat/events.ts',
    what: 'rate of messages that come as frames',
    from: "    limit: 'chatMessage',\n",
    to: '',
    tests: ['test/services/chat/frame-rates.test.ts'],
  },
  {
    file: 'src/shared/conversations/moderation.ts',
    what: 'an admin before a moderator as heir of a conversation',
    from: "    case r.role when 'admin' then 0 when 'moderator' then 1 else 2 end, r.joined_at",
    to: '    r.joined_at',
    tests: ['test/services/chat/leaving.test.ts'],
  },
];
