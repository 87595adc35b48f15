import { sql } from 'kysely';
import { Problem } from '../../base/problem.ts';
import type { Database, Db } from './database.ts';
import { columnTypes, type ColumnTypes } from './migrations/column-types.ts';
import { perEngine } from './per-engine.ts';
import { up as accounts } from './migrations/0001-accounts.ts';
import { up as idempotency } from './migrations/0002-idempotency.ts';
import { up as ledger } from './migrations/0003-ledger.ts';
import { up as gossip } from './migrations/0004-gossip.ts';
import { up as pool } from './migrations/0005-pool.ts';
import { up as passvault } from './migrations/0006-passvault.ts';
import { up as credentialCosts } from './migrations/0007-credential-costs.ts';
import { up as replacedTokens } from './migrations/0008-replaced-tokens.ts';
import { up as emergencyEpochs } from './migrations/0009-emergency-epochs.ts';
import { up as settledReplies } from './migrations/0010-settled-replies.ts';
import { up as knownDevices } from './migrations/0011-known-devices.ts';
import { up as memberStorage } from './migrations/0012-member-storage.ts';
import { up as vaultNames } from './migrations/0013-vault-names.ts';
import { up as search } from './migrations/0014-search.ts';
import { up as blocksAndMutes } from './migrations/0015-blocks-and-mutes.ts';
import { up as jobSchedules } from './migrations/0016-job-schedules.ts';
import { up as events } from './migrations/0017-events.ts';
import { up as blockReferences } from './migrations/0018-block-references.ts';
import { up as searchBatches } from './migrations/0019-search-batches.ts';
import { up as searchPendingWords } from './migrations/0020-search-pending-words.ts';
import { up as outbox } from './migrations/0021-outbox.ts';
import { up as gossipEnvelopes } from './migrations/0022-gossip-envelopes.ts';
import { up as poolProposals } from './migrations/0023-pool-proposals.ts';
import { up as ledgerWaiting } from './migrations/0024-ledger-waiting.ts';
import { up as poolForks } from './migrations/0025-pool-forks.ts';
import { up as witnesses } from './migrations/0026-witnesses.ts';
import { up as poolTokens } from './migrations/0027-pool-tokens.ts';
import { up as gossipUnhandled } from './migrations/0028-gossip-unhandled.ts';
import { up as ledgerEvidence } from './migrations/0029-ledger-evidence.ts';
import { up as poolRecorded } from './migrations/0030-pool-recorded.ts';
import { up as poolSigners } from './migrations/0031-pool-signers.ts';
import { up as quorum } from './migrations/0032-quorum.ts';
import { up as notifications } from './migrations/0033-notifications.ts';
import { up as mail } from './migrations/0034-mail.ts';
import { up as appPasswords } from './migrations/0035-app-passwords.ts';
import { up as mailSubjects } from './migrations/0036-mail-subjects.ts';
import { up as mailFew } from './migrations/0037-mail-few.ts';
import { up as notificationOrder } from './migrations/0038-notification-order.ts';
import { up as mailLists } from './migrations/0039-mail-lists.ts';
import { up as searchIds } from './migrations/0040-search-ids.ts';
import { up as filevault } from './migrations/0041-filevault.ts';
import { up as fileContents } from './migrations/0042-file-contents.ts';
import { up as fileShares } from './migrations/0043-file-shares.ts';
import { up as fileProofs } from './migrations/0044-file-proofs.ts';
import { up as fileWorkflow } from './migrations/0045-file-workflow.ts';
import { up as fileKeeping } from './migrations/0046-file-keeping.ts';
import { up as fileClientKeys } from './migrations/0047-file-client-keys.ts';
import { up as fileSpeed } from './migrations/0048-file-speed.ts';
import { up as socialPeople } from './migrations/0049-social-people.ts';
import { up as socialPosts } from './migrations/0050-social-posts.ts';
import { up as rooms } from './migrations/0051-rooms.ts';
import { up as socialMedia } from './migrations/0052-social-media.ts';
import { up as notificationChannels } from './migrations/0053-notification-channels.ts';
import { up as roomKeys } from './migrations/0054-room-keys.ts';
import { up as socialOwn } from './migrations/0055-social-own.ts';
import { up as erasureGenerations } from './migrations/0056-erasure-generations.ts';
import { up as mailNotices } from './migrations/0057-mail-notices.ts';
import { up as verifiedAddresses } from './migrations/0058-verified-addresses.ts';
import { up as fileApprovers } from './migrations/0059-file-approvers.ts';
import { up as outboxRetries } from './migrations/0060-outbox-retries.ts';
import { up as jobDeaths } from './migrations/0061-job-deaths.ts';
import { up as fileApprovalMoves } from './migrations/0062-file-approval-moves.ts';
import { up as earlierGrants } from './migrations/0063-earlier-grants.ts';
import { up as roomLog } from './migrations/0064-room-log.ts';
import { up as conversations } from './migrations/0065-conversations.ts';
import { up as channels } from './migrations/0066-channels.ts';
import { up as socialMessages } from './migrations/0067-social-messages.ts';
import { up as chatAttachments } from './migrations/0068-chat-attachments.ts';
import { up as clientConversations } from './migrations/0069-client-conversations.ts';
import { up as roomHooks } from './migrations/0070-room-hooks.ts';
import { up as chatDrafts } from './migrations/0071-chat-drafts.ts';
import { up as chatRooms } from './migrations/0072-chat-rooms.ts';
import { up as presence } from './migrations/0073-presence.ts';
import { up as threads } from './migrations/0074-threads.ts';
import { up as botTokens } from './migrations/0075-bot-tokens.ts';
import { up as presenceSeen } from './migrations/0076-presence-seen.ts';
import { up as begunWithStrangers } from './migrations/0077-begun-with-strangers.ts';
import { up as calendars } from './migrations/0078-calendars.ts';
import { up as contacts } from './migrations/0079-contacts.ts';
import { up as calendarLinks } from './migrations/0080-calendar-links.ts';
import { up as booking } from './migrations/0081-booking.ts';
import { up as calendarInvitations } from './migrations/0082-calendar-invitations.ts';
import { up as davCollections } from './migrations/0083-dav-collections.ts';
import { up as eventPeriods } from './migrations/0084-event-periods.ts';
import { up as mailRelay } from './migrations/0085-mail-relay.ts';
import { up as eventRuns } from './migrations/0086-event-runs.ts';
import { up as failingConditions } from './migrations/0087-failing-conditions.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly up: (db: Db, types: ColumnTypes) => Promise<void>;
}

/** Kept in order by hand. Entries are only added, never changed or removed: some store has already run each of them. */
export const migrations: readonly Migration[] = [
  { version: 1, name: 'accounts', up: accounts },
  { version: 2, name: 'idempotency', up: idempotency },
  { version: 3, name: 'ledger', up: ledger },
  { version: 4, name: 'gossip', up: gossip },
  { version: 5, name: 'pool', up: pool },
  { version: 6, name: 'passvault', up: passvault },
  { version: 7, name: 'credential-costs', up: credentialCosts },
  { version: 8, name: 'replaced-tokens', up: replacedTokens },
  { version: 9, name: 'emergency-epochs', up: emergencyEpochs },
  { version: 10, name: 'settled-replies', up: settledReplies },
  { version: 11, name: 'known-devices', up: knownDevices },
  { version: 12, name: 'member-storage', up: memberStorage },
  { version: 13, name: 'vault-names', up: vaultNames },
  { version: 14, name: 'search', up: search },
  { version: 15, name: 'blocks-and-mutes', up: blocksAndMutes },
  { version: 16, name: 'job-schedules', up: jobSchedules },
  { version: 17, name: 'events', up: events },
  { version: 18, name: 'block-references', up: blockReferences },
  { version: 19, name: 'search-batches', up: searchBatches },
  { version: 20, name: 'search-pending-words', up: searchPendingWords },
  { version: 21, name: 'outbox', up: outbox },
  { version: 22, name: 'gossip-envelopes', up: gossipEnvelopes },
  { version: 23, name: 'pool-proposals', up: poolProposals },
  { version: 24, name: 'ledger-waiting', up: ledgerWaiting },
  { version: 25, name: 'pool-forks', up: poolForks },
  { version: 26, name: 'witnesses', up: witnesses },
  { version: 27, name: 'pool-tokens', up: poolTokens },
  { version: 28, name: 'gossip-unhandled', up: gossipUnhandled },
  { version: 29, name: 'ledger-evidence', up: ledgerEvidence },
  { version: 30, name: 'pool-recorded', up: poolRecorded },
  { version: 31, name: 'pool-signers', up: poolSigners },
  { version: 32, name: 'quorum', up: quorum },
  { version: 33, name: 'notifications', up: notifications },
  { version: 34, name: 'mail', up: mail },
  { version: 35, name: 'app-passwords', up: appPasswords },
  { version: 36, name: 'mail-subjects', up: mailSubjects },
  { version: 37, name: 'mail-few', up: mailFew },
  { version: 38, name: 'notification-order', up: notificationOrder },
  { version: 39, name: 'mail-lists', up: mailLists },
  { version: 40, name: 'search-ids', up: searchIds },
  { version: 41, name: 'filevault', up: filevault },
  { version: 42, name: 'file-contents', up: fileContents },
  { version: 43, name: 'file-shares', up: fileShares },
  { version: 44, name: 'file-proofs', up: fileProofs },
  { version: 45, name: 'file-workflow', up: fileWorkflow },
  { version: 46, name: 'file-keeping', up: fileKeeping },
  { version: 47, name: 'file-client-keys', up: fileClientKeys },
  { version: 48, name: 'file-speed', up: fileSpeed },
  { version: 49, name: 'social-people', up: socialPeople },
  { version: 50, name: 'social-posts', up: socialPosts },
  { version: 51, name: 'rooms', up: rooms },
  { version: 52, name: 'social-media', up: socialMedia },
  { version: 53, name: 'notification-channels', up: notificationChannels },
  { version: 54, name: 'room-keys', up: roomKeys },
  { version: 55, name: 'social-own', up: socialOwn },
  { version: 56, name: 'erasure-generations', up: erasureGenerations },
  { version: 57, name: 'mail-notices', up: mailNotices },
  { version: 58, name: 'verified-addresses', up: verifiedAddresses },
  { version: 59, name: 'file-approvers', up: fileApprovers },
  { version: 60, name: 'outbox-retries', up: outboxRetries },
  { version: 61, name: 'job-deaths', up: jobDeaths },
  { version: 62, name: 'file-approval-moves', up: fileApprovalMoves },
  { version: 63, name: 'earlier-grants', up: earlierGrants },
  { version: 64, name: 'room-log', up: roomLog },
  { version: 65, name: 'conversations', up: conversations },
  { version: 66, name: 'channels', up: channels },
  { version: 67, name: 'social-messages', up: socialMessages },
  { version: 68, name: 'chat-attachments', up: chatAttachments },
  { version: 69, name: 'client-conversations', up: clientConversations },
  { version: 70, name: 'room-hooks', up: roomHooks },
  { version: 71, name: 'chat-drafts', up: chatDrafts },
  { version: 72, name: 'chat-rooms', up: chatRooms },
  { version: 73, name: 'presence', up: presence },
  { version: 74, name: 'threads', up: threads },
  { version: 75, name: 'bot-tokens', up: botTokens },
  { version: 76, name: 'presence-seen', up: presenceSeen },
  { version: 77, name: 'begun-with-strangers', up: begunWithStrangers },
  { version: 78, name: 'calendars', up: calendars },
  { version: 79, name: 'contacts', up: contacts },
  { version: 80, name: 'calendar-links', up: calendarLinks },
  { version: 81, name: 'booking', up: booking },
  { version: 82, name: 'calendar-invitations', up: calendarInvitations },
  { version: 83, name: 'dav-collections', up: davCollections },
  { version: 84, name: 'event-periods', up: eventPeriods },
  { version: 85, name: 'mail-relay', up: mailRelay },
  { version: 86, name: 'event-runs', up: eventRuns },
  { version: 87, name: 'failing-conditions', up: failingConditions },
];

/** The table that lists the migrations which a store has run. */
export const migrationTable = 'schema_migrations';

/** Tables that hold no data of the store; backups and copies leave them out. postgres/counters.ts makes the second one. */
export const bookkeepingTables: readonly string[] = [migrationTable, 'rate_limits'];

export function latestVersion(list: readonly Migration[] = migrations): number {
  return list.at(-1)?.version ?? 0;
}

export interface MigrationReport {
  readonly from: number;
  readonly to: number;
  /** names of the migrations that ran, in order */
  readonly applied: readonly string[];
}

/** The newest migration that a store has run; 0 for an empty one. */
export async function schemaVersion(database: Pick<Database, 'db'>): Promise<number> {
  const table = perEngine({
    sqljs: sql<{ found: number }>`select count(*) as found from sqlite_schema where name = ${migrationTable}`,
    postgres: sql<{ found: number }>`select count(*) as found from pg_class where oid = to_regclass(${migrationTable})`,
  });
  const { rows } = await table.execute(database.db);
  return rows[0]?.found ? await newest(database.db) : 0;
}

async function newest(db: Db): Promise<number> {
  const { rows } = await sql<{
    version: number | null;
  }>`select max(version) as version from ${sql.table(migrationTable)}`.execute(db);
  return rows[0]?.version ?? 0;
}

/** @throws Problem conflict STORE_TOO_NEW */
export function refuseNewer(version: number, latest = latestVersion()): void {
  if (version <= latest) return;
  throw new Problem(
    'conflict',
    'STORE_TOO_NEW',
    `The store has version ${version}, and this program supports versions up to ${latest}. Use a newer program, or restore an older backup`,
  );
}

/**
 * Brings a store to the newest version, in one transaction: after a failure or a crash the store is unchanged. Several processes may run
 * this at once.
 * @throws Problem conflict STORE_TOO_NEW
 */
export async function migrate(
  database: Database,
  now: () => number = Date.now,
  list: readonly Migration[] = migrations,
): Promise<MigrationReport> {
  const types = columnTypes[database.engine];
  return await database.exclusively(async (db) => await applyMigrations(db, types, now, list));
}

/** `db` must be a transaction. @throws Problem conflict STORE_TOO_NEW */
export async function applyMigrations(
  db: Db,
  types: ColumnTypes,
  now: () => number,
  list: readonly Migration[],
): Promise<MigrationReport> {
  await db.schema
    .createTable(migrationTable)
    .ifNotExists()
    .addColumn('version', types.integer, (column) => column.primaryKey().notNull())
    .addColumn('name', types.text, (column) => column.notNull())
    .addColumn('applied_at', types.integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  const from = await newest(db);
  refuseNewer(from, latestVersion(list));
  const applied: string[] = [];
  for (const { version, name, up } of list) {
    if (version <= from) continue;
    await up(db, types);
    await sql`insert into ${sql.table(migrationTable)} (version, name, applied_at) values (${version}, ${name}, ${now()})`.execute(
      db,
    );
    applied.push(name);
  }
  return { from, to: Math.max(from, latestVersion(list)), applied };
}
