/** Where the commands of a service stand, and which of its groups have none, or no test of their own; each with its reason. */
export interface OwnGroups {
  /** folders of commands/; a command over several groups stands directly in one of them. '': commands/ itself */
  readonly topics: readonly string[];
  readonly withoutCommand?: Readonly<Record<string, string>>;
  readonly withoutTest?: Readonly<Record<string, string>>;
}

/** Services whose groups have one name in contract, service, commands and tests: new ones are born so. */
export const grouped: Readonly<Record<string, OwnGroups>> = {
  accounts: {
    topics: ['account', 'admin', ''],
  },
  calendar: { topics: ['calendar'] },
  chat: { topics: ['chat', 'chat/group', 'chat/channel'] },
  contacts: { topics: ['contacts'] },
  notifications: {
    topics: ['social', 'social/notifications'],
    withoutCommand: {
      alerts: '`conclave call notifications.send-alert` sends one',
      push: 'browsers subscribe, and have a push service',
      reminders: '`conclave call notifications.remind-absent` asks for them',
    },
  },
};

/** Services whose files have still to move. The list can only shrink. */
export const ungrouped: Readonly<Record<string, { readonly topic: string }>> = {
  filevault: { topic: 'files' },
  mail: { topic: 'mail' },
  passvault: { topic: 'vault' },
  pool: { topic: 'pool' },
  quorum: { topic: 'quorum' },
  social: { topic: 'social' },
};

/** Files of the contract that are one group by themselves, without a folder; each with whoever performs it. */
export const single: Readonly<Record<string, string>> = {
  'booking-page': 'http, which serves the pages',
  ledger: 'the ledger of the platform',
  node: 'a service of four operations',
  realtime: 'the tickets of the sockets, in a room that services share',
  reference: 'http, which describes all services',
  'share-page': 'http, which serves the page',
};
