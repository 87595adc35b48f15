import { Args, Flags } from '@oclif/core';
import type { ConversationMode } from '../../contract/chat/client-mode.ts';
import { pageFlags } from '../kit/list-command.ts';

/** The argument of commands that are about one conversation; see `conversationNamed`. */
export const withArgument = {
  with: Args.string({
    description: 'username or id of the other member, name of a group or channel, or id of the conversation',
    required: true,
  }),
};

/** The arguments of commands that are about one message; see `messageNamed`. */
export const messageArguments = {
  ...withArgument,
  message: Args.string({ description: 'id of the message, or its first eight or more digits', required: true }),
};

/** Where a command has the text of a message from. */
export const textArgument = {
  text: Args.string({ description: 'text of the message; - or nothing: standard input' }),
};
export const fileFlag = {
  file: Flags.string({ description: 'file with the text; - for standard input', helpValue: 'FILE' }),
};

/** Which messages of a conversation are shown, and whether they are read then. */
export const readFlags = {
  unread: Flags.boolean({ description: 'only what you have not read, from the first of it', exclusive: ['cursor'] }),
  around: Flags.string({
    description: 'messages before and after this one, at most 200',
    helpValue: 'MESSAGE',
    exclusive: ['unread', 'cursor', 'all'],
  }),
  'keep-unread': Flags.boolean({ description: 'do not mark messages as read' }),
  ...pageFlags(50),
};

/** Who can read what is said in a conversation that begins. */
export const modeFlag = {
  mode: Flags.string({
    description:
      'who can read it: client: its members alone; server: the node too, which can search it. It never changes',
    options: ['server', 'client'] satisfies ConversationMode[],
  }),
};

export const emojiArgument = { emoji: Args.string({ description: 'one emoji', required: true }) };
