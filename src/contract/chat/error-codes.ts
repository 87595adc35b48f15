/** What can go wrong in conversations. */
export const chatErrorCodes = {
  CONVERSATION_NOT_FOUND: { status: 404, text: 'There is no such conversation, or the caller may not know of it.' },
  CONVERSATIONS_FULL: { status: 409, text: 'One of the members has as many conversations as is possible.' },
  ROOM_FULL: { status: 409, text: 'The group or channel has as many members as is possible.' },
  ALREADY_IN_ROOM: { status: 409, text: 'A member is in the group or channel already. The message names who.' },
  NOT_IN_ROOM: { status: 404, text: 'The member is not in the group or channel.' },
  BANNED_FROM_ROOM: { status: 409, text: 'A member is banned from the group or channel. Lift the ban first.' },
  BAN_NOT_FOUND: { status: 404, text: 'The member is not banned from the group or channel.' },
  CONVERSATION_ID_TAKEN: { status: 409, text: 'The id is not free. Draw another one.' },
  MODE_FIXED: {
    status: 409,
    text: 'The caller has a conversation with the member already, in the other mode. A mode never changes.',
  },
  EPOCH_CLOSED: {
    status: 409,
    text: 'Somebody who has the key left the conversation, the node was restored, or the key is older than a day and messages are kept for less than 30 days. A member has to make the next key before anything is sent.',
  },
  REVISION_CHANGED: { status: 409, text: 'The message was edited meanwhile. Read it again.' },
  LAST_OWNER: {
    status: 403,
    text: 'The owner cannot leave. Make another member the owner first, or delete the group or channel.',
  },
  CHANNEL_NAME_TAKEN: { status: 409, text: 'Another channel of the node has this name.' },
  INVITE_NOT_FOUND: { status: 404, text: 'The channel has no such invite, or who made it may not invite any more.' },
  INVITE_OVER: { status: 410, text: 'The invite has expired, or is used up.' },
  INVITES_FULL: { status: 409, text: 'The channel has as many invites as is possible. End one first.' },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    text: 'There is no such webhook, or who made it may not have one any more.',
  },
  WEBHOOKS_FULL: { status: 409, text: 'The group or channel has as many webhooks as is possible. Remove one first.' },
  PROGRAMS_CANNOT_READ: {
    status: 409,
    text: 'Only members can read the conversation, so webhooks and bot tokens are not possible there.',
  },
  BOT_NOT_FOUND: { status: 404, text: 'The caller has no such bot token.' },
  BOTS_FULL: { status: 409, text: 'The caller has as many bot tokens as is possible. Remove one first.' },
  MESSAGE_NOT_FOUND: { status: 404, text: 'The conversation has no such message for the caller, or it is deleted.' },
  INVALID_ATTACHMENT: {
    status: 400,
    text: 'An id names no upload of the caller that can be attached: there is none, it has expired, or is attached already.',
  },
  ATTACHMENTS_TOO_LARGE: { status: 400, text: 'The attachments of a message are too large together.' },
  ATTACHMENTS_FULL: {
    status: 409,
    text: 'The caller has too many uploads that are part of no message. Use or delete some.',
  },
  REACTION_NOT_FOUND: { status: 404, text: 'The message has no such reaction, or none of the caller.' },
  TOO_MANY_REACTIONS: { status: 400, text: 'The message has as many different reactions as is possible.' },
  SCHEDULED_NOT_FOUND: {
    status: 404,
    text: 'The caller has no such scheduled message: there is none, or it was sent.',
  },
  SCHEDULED_FULL: {
    status: 409,
    text: 'The caller has as many scheduled messages as is possible. Remove one first.',
  },
  PINS_FULL: { status: 409, text: 'The conversation has as many pinned messages as is possible. Unpin one first.' },
} as const;
