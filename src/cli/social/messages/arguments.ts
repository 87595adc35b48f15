import { Args } from '@oclif/core';

/** The argument of commands that are about one conversation; see `socialConversationNamed`. */
export const nameArgument = {
  name: Args.string({
    description: 'username or id of the other member, name of a group, or id of the conversation',
    required: true,
  }),
};

/** The argument of commands that are about one group; see `socialGroupNamed`. */
export const groupArgument = {
  name: Args.string({ description: 'name of the group, with or without #, or its id', required: true }),
};

/** The argument of commands that are about one message; see `socialMessageNamed`. */
export const messageArgument = {
  message: Args.string({ description: 'id of the message, or its first eight or more digits', required: true }),
};

/** The argument of commands that are about one message request; see `requestNamed`. */
export const requestArgument = {
  name: Args.string({ description: 'username or id of who sent it, or id of the request', required: true }),
};
