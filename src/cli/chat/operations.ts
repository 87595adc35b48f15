import { chat } from '../../contract/chat.ts';

/** What there is in conversations of all types, by the type. */
export const operationsOf = {
  direct: {
    messages: chat.directMessages,
    message: chat.directMessage,
    edit: chat.directEditMessage,
    remove: chat.directDeleteMessage,
    react: chat.directReact,
    unreact: chat.directUnreact,
    pin: chat.directPin,
    unpin: chat.directUnpin,
    pins: chat.directPins,
    read: chat.directRead,
    settings: chat.directSettings,
  },
  group: {
    messages: chat.groupMessages,
    message: chat.groupMessage,
    edit: chat.groupEditMessage,
    remove: chat.groupDeleteMessage,
    react: chat.groupReact,
    unreact: chat.groupUnreact,
    pin: chat.groupPin,
    unpin: chat.groupUnpin,
    pins: chat.groupPins,
    read: chat.groupRead,
    settings: chat.groupSettings,
  },
  channel: {
    messages: chat.channelMessages,
    message: chat.channelMessage,
    edit: chat.channelEditMessage,
    remove: chat.channelDeleteMessage,
    react: chat.channelReact,
    unreact: chat.channelUnreact,
    pin: chat.channelPin,
    unpin: chat.channelUnpin,
    pins: chat.channelPins,
    read: chat.channelRead,
    settings: chat.channelSettings,
  },
};
