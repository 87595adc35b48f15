import { mediaTypes } from '../social/media/limits.ts';

/** Rate limits. */
export const chatRates = {
  chatMembership: {
    key: 'chat_membership',
    perAccount: {
      rate: '120/1h',
      text: 'Changes of who is in conversations by one member: each makes a new key for all that are in it',
    },
  },
  chatMessage: {
    key: 'chat_message',
    perAccount: { rate: '1200/5m', text: 'Messages that one member sends, and changes of them, in all conversations' },
  },
  chatMark: {
    key: 'chat_mark',
    perAccount: { rate: '600/5m', text: 'Reactions and pins of one member' },
  },
  chatRead: {
    key: 'chat_read',
    perAccount: { rate: '1200/5m', text: 'What one member marks as read in conversations, typing, and drafts' },
  },
  chatPresence: {
    key: 'chat_presence',
    perAccount: { rate: '30/5m', text: 'How often one member sets whether they are there' },
  },
  chatAttachment: {
    key: 'chat_attachment',
    perAccount: { rate: '120/30m', text: 'Files that one member uploads for messages' },
  },
} as const;

/** The types of attachments that browsers show, as their sender calls them. Everything else is saved. */
export const shownTypes = [...mediaTypes, 'text/plain'] as const;

/** What messages can be searched for that have it. */
export const searchedKinds = ['link', 'file'] as const;
export type SearchedKind = (typeof searchedKinds)[number];

/** Sizes and numbers of conversations. Services import them too. */
export const chatLimits = {
  /** characters of a message */
  text: 8_000,
  /** files of a message, and their bytes together. One file has at most as many */
  attachments: 10,
  attachmentBytes: 25 * 1024 ** 2,
  /** bytes that each file has beside that where members seal it: form, nonce and tag */
  sealedOverhead: 1 + 16 + 16,
  /** characters of the name of a file */
  filename: 255,
  /** uploads of one member that are part of no message, and how long they wait for one */
  waitingAttachments: 100,
  attachmentHours: 24,
  /** characters of the id that a client gives a message */
  clientId: 64,
  /** items of a page */
  page: 50,
  mostOnPage: 200,
  /** characters of the name of a group */
  name: 100,
  /** characters of the name of a channel */
  channelName: 64,
  /** characters of the topic of a channel */
  topic: 1_024,
  /** members of a group */
  groupMembers: 255,
  /** members of a channel */
  channelMembers: 5_000,
  /** members that a channel comes with; the others are in the list of its members */
  shownMembers: 255,
  /** members of a group or channel that only they can read: each of their clients encrypts a new key to all */
  clientMembers: 255,
  /** bytes of a message that only members can read: a text with what describes its files, in steps of 256 */
  ciphertext: 46_080,
  /** epochs of a page, each with its members */
  epochs: 20,
  /** webhooks of a group or channel */
  hooks: 20,
  /** characters of the name of a webhook */
  hookName: 64,
  /** bytes of what a program sends to a webhook */
  hookBytes: 16_384,
  /** messages that a webhook takes at once; one more each second */
  hookBurst: 10,
  /** bot tokens of a member */
  bots: 50,
  /** conversations of a bot token */
  botRooms: 20,
  /** characters of the name of a bot token */
  botName: 64,
  /** members whose presence is asked for, or watched, at once */
  watched: 200,
  /** in conversations of at most so many members each is told of the presence of the others */
  tellsPresence: 200,
  /** a change is told in conversations with so many members together, those with the newest activity first */
  receivers: 2_000,
  /** of so many at once in one step of a process; other changes follow in the next */
  receiversAtOnce: 20_000,
  /** a process without a sign of life for `deadMs` has no sockets any more; it gives one every `beatMs` */
  beatMs: 30_000,
  deadMs: 90_000,
  /** somebody is offline so long after their last socket has closed */
  offlineMs: 60_000,
  /** presence is told when it has not changed for so long, and once in `tellMs` to each receiver */
  restMs: 2_000,
  tellMs: 1_000,
  /** that a member gave a sign of themselves is written once in so long */
  seenEveryMs: 60_000,
  /** members of whose presence is told at once, so that it fits between processes; the others follow */
  toldAtOnce: 100,
  /** invites of a channel that are in force */
  invites: 200,
  /** members that one invite is for at most */
  inviteUses: 10_000,
  /** how long an invite with an end lasts at most */
  inviteMs: 365 * 24 * 60 * 60 * 1000,
  /** members that are added at once */
  addedAtOnce: 200,
  /** groups and channels that one member owns */
  owned: 500,
  /** groups of at most so many members notify of every message, larger ones and channels of mentions, unless a member wants it otherwise */
  notifiesOfAll: 50,
  /** members whom one message can name */
  mentions: 50,
  /** how long a member can be muted */
  muteMs: 365 * 24 * 60 * 60 * 1000,
  /** characters of the reason of what a moderator does */
  reason: 500,
  /** conversations of one member */
  conversations: 5_000,
  /** messages of one member that are sent later, and how far ahead */
  scheduled: 100,
  scheduledEarliestMs: 60 * 1000,
  scheduledLatestMs: 365 * 24 * 60 * 60 * 1000,
  /** pinned messages of a conversation */
  pins: 100,
  /** different emoji under one message */
  emoji: 50,
  /** reactions that a message comes with, the first ones; their number is exact */
  shownReactions: 100,
  /** earlier texts of a message that are kept */
  edits: 50,
  /** bytes of earlier texts after which the messages of a page come without theirs */
  historyBytes: 1_048_576,
  /** characters of a search, and conditions in it */
  searchText: 200,
  searchConditions: 20,
  /** conversations that one search goes through: those with the newest activity */
  searchedTogether: 100,
  /** characters of a message in the list of conversations */
  preview: 100,
  /** messages that a member can send to one conversation at once; one more each second */
  burst: 60,
  /** how long members may have to wait from one message to the next */
  slowSeconds: 21_600,
  /** how long messages are kept, where that is limited */
  retentionMs: { least: 60 * 60 * 1000, most: 10 * 365 * 24 * 60 * 60 * 1000 },
  /** how long somebody is shown as typing */
  typingMs: 15_000,
  /** typing is told once in so long */
  typingEveryMs: 3_000,
  /** how long a message waits until members who have not read it are notified */
  noticeMs: 10_000,
  /** where many are, senders are told how many have read their messages once in so long, of so many of those at once: the newest */
  readCountsMs: 3_000,
  readCountsTold: 20,
  /** the activity of a conversation is told to its members once in so long */
  activityMs: 1_000,
} as const;
