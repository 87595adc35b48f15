/**
 * What of the store no run of the embedded engine has PostgreSQL read. Tests compare both lists with what there is, so they can only shrink.
 */

/** What PostgreSQL refuses: places by file and function, files of tests, and tables that no migration makes. */
export const unprepared: Readonly<Record<string, string>> = {
  'test/shared/attachments/blocks.test.ts': 'asks SQLite for its indexes',
  'test/attacks/changed-schema.thorough.test.ts': 'changes the schema of the embedded engine',
  'test/platform/network/outbox/mail-scene.ts': 'has tables of its own',
  'test/platform/network/outbox/poison.test.ts': 'writes into a table that is not there',
  'test/platform/network/outbox/waiting.thorough.test.ts': 'reads a table of the scene',
  'test/shared/members/password-costs.test.ts': 'asks SQLite for a plan',
  'test/shared/group-keys/club.ts': 'has tables of its own',
  'test/sample/notebook.ts': 'has a table of its own',
  'test/support/plans.ts': 'asks SQLite for plans',
  'test/platform/store/migrations.test.ts': 'has migrations of its own',
  'test/platform/store/transfer/copy-tables.test.ts': 'makes a trigger, and rows without their parents',
  'test/platform/store/verify.test.ts': 'makes rows without their parents',
  'test/support/poison-row.ts': 'makes triggers, in the words of each engine',
  'test/support/prepared-statements.test.ts': 'explains the statements of SQLite',
  'test/support/store-tables.ts': 'asks SQLite for its tables, and about its file',
  'the table evil': 'of the test of changed schemas',
  'the table sample_notes': 'of the sample service',
};

/** Files that choose by the engine what they do, and register no statement of one engine. */
export const unregistered: Readonly<Record<string, string>> = {
  'src/node/listeners/background.ts': 'asks on PostgreSQL what the embedded engine asks when it starts',
  'src/platform/ledger/append.ts': 'waiting.ts registers what only PostgreSQL stores; the rest runs on both engines',
  'src/platform/ledger/witness/instances.ts':
    'processes share a database on PostgreSQL alone: built by kysely, run by its tests on both engines',
  'src/platform/realtime/hub.ts': 'sends a signal',
  'src/platform/realtime/processes.ts':
    'asks for touched topics on PostgreSQL alone: built by kysely, run by the tests of two processes',
  'src/platform/realtime/publish.ts': 'sends signals',
  'src/platform/store/open.ts': 'chooses whether a copy is made',
  'src/platform/store/schema.ts': 'runs migrations in another place',
  'src/platform/store/transfer/copy-tables.ts': 'writes one row or many with one text',
  'src/services/filevault/destruction/destroy.ts': 'empties the log of the embedded engine by a snapshot',
  'src/services/node/copy.ts': 'chooses places and locks',
  'src/services/social/feeds/among-all.ts': 'ranked-feeds.ts registers what it builds',
  'src/services/social/feeds/ranked.ts': 'ranked-feeds.ts registers what it builds',
  'src/services/social/posts/like-notices.ts': 'looks once more after a commit, with the statements of its job',
};
