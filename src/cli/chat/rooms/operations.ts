import { chat } from '../../../contract/chat.ts';

/** What there is in conversations whose members have roles, by their type. */
export const roomOperations = {
  group: {
    send: chat.sendToGroup,
    delete: chat.deleteGroup,
    members: chat.groupMembers,
    add: chat.groupAddMembers,
    remove: chat.groupRemoveMember,
    leave: chat.groupLeave,
    setRole: chat.groupSetRole,
    kick: chat.groupKick,
    mute: chat.groupMute,
    unmute: chat.groupUnmute,
    ban: chat.groupBan,
    unban: chat.groupUnban,
    bans: chat.groupBans,
    log: chat.groupLog,
  },
  channel: {
    send: chat.sendToChannel,
    delete: chat.deleteChannel,
    members: chat.channelMembers,
    add: chat.channelAddMembers,
    remove: chat.channelRemoveMember,
    leave: chat.channelLeave,
    setRole: chat.channelSetRole,
    kick: chat.channelKick,
    mute: chat.channelMute,
    unmute: chat.channelUnmute,
    ban: chat.channelBan,
    unban: chat.channelUnban,
    bans: chat.channelBans,
    log: chat.channelLog,
  },
};
