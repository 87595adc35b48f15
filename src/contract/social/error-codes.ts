/** What can go wrong with messages of the social network, beside what can in conversations of chat. */
export const socialMessageErrorCodes = {
  CONVERSATION_EXISTS: {
    status: 400,
    text: 'The caller has a conversation with the member already. The message has its id.',
  },
  MEMBER_BLOCKED: { status: 403, text: 'The caller blocked the member, and has to end the block first.' },
  DMS_CLOSED: { status: 403, text: 'The member takes messages only from members who follow them.' },
  REQUEST_PENDING: {
    status: 403,
    text: 'The member has to accept the message request before the caller can send more.',
  },
  MESSAGE_REQUEST_NOT_FOUND: { status: 404, text: 'The caller has no such message request.' },
  MESSAGE_REQUEST_CLOSED: { status: 400, text: 'The message request was accepted or declined before.' },
  MESSAGE_EDIT_OVER: { status: 400, text: 'Messages can be edited for 15 minutes after they were sent.' },
  MESSAGE_ALREADY_DELETED: { status: 400, text: 'The message is deleted.' },
  ALREADY_REACTED: { status: 400, text: 'The caller has this reaction to the message already.' },
  TOO_MANY_PINNED: { status: 400, text: 'The caller has pinned as many conversations as is possible.' },
  MESSAGE_ALREADY_REPORTED: {
    status: 400,
    text: 'The caller reported the message already, and the report is not closed.',
  },
} as const;
