import { accounts } from './accounts.ts';
import { bookingPages } from './booking-page.ts';
import { calendar } from './calendar.ts';
import { chat } from './chat.ts';
import { chatEvents, chatFrames } from './chat/events.ts';
import { contacts } from './contacts.ts';
import { filevault } from './filevault.ts';
import { ledger } from './ledger.ts';
import { mail } from './mail.ts';
import { mailEvents } from './mail/events.ts';
import { members } from './accounts/members.ts';
import { node } from './node.ts';
import type { ClientFrame, Event } from './event.ts';
import type { Contract, Operation } from './operation.ts';
import { notifications } from './notifications.ts';
import { notificationEvents, notificationFrames } from './notifications/events.ts';
import { passvault } from './passvault.ts';
import { passvaultEvents } from './passvault/events.ts';
import { pool } from './pool.ts';
import { quorum } from './quorum.ts';
import { quorumEvents } from './quorum/events.ts';
import { realtime } from './realtime.ts';
import { reference } from './reference.ts';
import { sharePage } from './share-page.ts';
import { social } from './social.ts';
import { socialEvents, socialFrames } from './social/events.ts';
import { socialMessageEvents } from './social/messages/events.ts';

/** A group of operations, as the reference lists them. */
export interface Topic {
  /** the prefix of its operations' ids, before the dot */
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly contract: Contract;
  /** events that sockets receive */
  readonly events?: Readonly<Record<string, Event>>;
  /** frames that clients send over sockets, in addition to the general frames */
  readonly frames?: Readonly<Record<string, ClientFrame>>;
}

/** All operations of a node. src/node/services.ts must have an implementation for each; otherwise it does not compile. */
export const topics = {
  account: {
    name: 'account',
    title: 'Accounts and sessions',
    text: 'Registration, sign-in, profile, settings, backup codes and recovery.',
    contract: accounts,
  },
  members: {
    name: 'members',
    title: 'Members',
    text: 'Management of members, for administrators and the operator of the node.',
    contract: members,
  },
  pool: {
    name: 'pool',
    title: 'Pool',
    text: 'The nodes of the pool, join requests, and the signed access list.',
    contract: pool,
  },
  node: {
    name: 'node',
    title: 'Node',
    text: 'The status of the node and its store.',
    contract: node,
  },
  ledger: {
    name: 'ledger',
    title: 'Ledger',
    text: 'The append-only record of the node, in a Merkle tree with proofs: a later change can be detected.',
    contract: ledger,
  },
  passvault: {
    name: 'passvault',
    title: 'Password vaults',
    text: 'Vaults of logins, cards and notes under a master password: entries, sharing, emergency access, import and export, and tools for passwords.',
    contract: passvault,
    events: passvaultEvents,
  },
  filevault: {
    name: 'filevault',
    title: 'File vault',
    text: 'Encrypted files in containers: folders, and who may do what with them.',
    contract: filevault,
  },
  quorum: {
    name: 'quorum',
    title: 'Quorum',
    text: 'Documents that a number of members open together, and decisions that they take together: members and epochs, sealing and unsealing, proposals and votes, aliases, audit.',
    contract: quorum,
    events: quorumEvents,
  },
  mail: {
    name: 'mail',
    title: 'E-mail',
    text: 'Messages between members of this node and of other nodes: sending with an honest delivery status, folders and labels, search, threads, drafts, rules.',
    contract: mail,
    events: mailEvents,
  },
  social: {
    name: 'social',
    title: 'Social network',
    text: 'Profiles, followers and blocks; posts, replies, reposts and quotes; pictures, videos and sounds; timelines and reports.',
    contract: social,
    events: socialEvents,
    frames: socialFrames,
  },
  chat: {
    name: 'chat',
    title: 'Chat',
    text: 'Conversations of members, in real time and encrypted under keys of their own: direct messages.',
    contract: chat,
    events: { ...chatEvents, ...socialMessageEvents },
    frames: chatFrames,
  },
  calendar: {
    name: 'calendar',
    title: 'Calendar',
    text: 'Calendars of members, encrypted, and who else may see them.',
    contract: calendar,
  },
  contacts: {
    name: 'contacts',
    title: 'Contacts',
    text: 'Address books of members, encrypted, as vCards, and a book of the members whom one knows.',
    contract: contacts,
  },
  notifications: {
    name: 'notifications',
    title: 'Notifications',
    text: 'What a member should know of, as it happens or after quiet hours, and which of that the member wants.',
    contract: notifications,
    events: notificationEvents,
    frames: notificationFrames,
  },
  realtime: {
    name: 'realtime',
    title: 'Sockets',
    text: 'Events over a WebSocket, as changes happen.',
    contract: realtime,
  },
  sharePage: {
    name: 'sharePage',
    title: 'Page of share links',
    text: 'What a browser loads to open a share link. It comes from this server alone.',
    contract: sharePage,
  },
  bookingPage: {
    name: 'bookingPage',
    title: 'Booking pages',
    text: 'What a browser loads to book an appointment. It comes from this server alone, and works without scripts.',
    contract: bookingPages,
  },
  reference: {
    name: 'reference',
    title: 'Reference',
    text: 'This description of the interface, for programs and for people.',
    contract: reference,
  },
} as const satisfies Readonly<Record<string, Topic>>;

export const allTopics: readonly Topic[] = Object.values(topics);

export function allOperations(): Operation[] {
  return allTopics.flatMap(({ contract }) => Object.values(contract));
}
