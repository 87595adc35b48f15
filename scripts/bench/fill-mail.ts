import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deriveNodeKeys, type NodeKeys } from '../../src/config/node-keys.ts';
import { openNodeSecret } from '../../src/config/node-secret.ts';
import { silentLog } from '../../src/base/log.ts';
import { prepareItem, type MessageFacts } from '../../src/services/mail/boxes/items.ts';
import { createOffload } from '../../src/platform/workers/offload.ts';
import type { Offload } from '../../src/service/ports/workers.ts';
import { summaries } from '../../src/services/mail/boxes/summary.ts';
import type { Database, Db } from '../../src/platform/store/database.ts';
import { runJobs } from '../../src/platform/store/jobs/jobs.ts';
import { openDatabase } from '../../src/platform/store/open.ts';
import { putDocuments } from '../../src/platform/store/search/documents.ts';
import { searchMergeKind } from '../../src/platform/store/search/merge-kind.ts';
import { searchMergeHandler } from '../../src/platform/store/search/merge.ts';
import type { MailItemRow } from '../../src/platform/store/tables/mail.ts';

const BATCH = 200;
const VOCABULARY = 50_000;
/** Distinct senders; each has written 200 of 100,000 messages. */
const SENDERS = 500;
const MINUTE_MS = 60_000;
/** Of the first message. */
const BEGINNING = Date.UTC(2026, 0, 1);

export const filled = {
  sender: 'sender7@elsewhere.example',
  label: 'Work',
  /** a word of every second message, one of every fifth, and one of a single message */
  words: { frequent: 'everyday', another: 'weekly', single: (index: number) => `single${index}w` },
  /** when a message was received */
  moment: (index: number): number => BEGINNING + index * MINUTE_MS,
};

let state = 1;
/** The same messages in every run: xorshift32. */
function random(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

/** The n-th most frequent word comes about 1/n as often as the first, as in any language. */
function someWords(count: number): string {
  return Array.from({ length: count }, () => `${Math.floor(VOCABULARY ** random()).toString(36)}w`).join(' ');
}

function factsOf(index: number): MessageFacts {
  const own = filled.words;
  const said = [index % 2 === 1 && own.frequent, index % 5 === 3 && own.another, own.single(index)].filter(Boolean);
  const text = `${said.join(' ')} ${someWords(24)}`;
  return {
    messageId: `message${index}@elsewhere.example`,
    subject: `${index % 3 === 0 ? 'Re: ' : ''}${someWords(4)}`,
    date: filled.moment(index),
    size: 1_000 + Math.floor(random() * 100_000),
    hasAttachments: index % 10 === 3,
    hasCalendar: false,
    text,
    summary: {
      from: { address: `sender${index % SENDERS}@elsewhere.example`, displayName: `Sender ${index % SENDERS}` },
      to: [{ address: 'owner@bench.example' }],
      cc: [],
      inReplyTo: null,
      references: [],
      preview: text.slice(0, 200),
    },
  };
}

/**
 * Fills the inbox of the store's first member with messages that lists and searches find, and nobody can open. One in four is unread, one
 * in ten has attachments or the label, one in fifty a flag.
 */
export async function fillMail(dataDir: string, url: string | undefined, count: number): Promise<void> {
  const keys = deriveNodeKeys(await openNodeSecret(join(dataDir, 'node.secret'), { create: false }));
  await using database = await openDatabase({ dataDir, url, command: 'a benchmark' });
  await fillStore(database, keys, count);
}

async function fillStore(database: Database, keys: NodeKeys, count: number): Promise<void> {
  const { id: memberId } = await database.db.selectFrom('members').select('id').limit(1).executeTakeFirstOrThrow();
  const ending = new AbortController();
  // No text is so long that a thread begins.
  await using offload = createOffload();
  const running = runJobs(
    database,
    { [searchMergeKind]: searchMergeHandler(database) },
    { clock: Date, random: (size) => randomBytes(size), signal: ending.signal, log: silentLog },
  );
  for (let first = 0; first < count; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - first) }, (_, at) => first + at);
    const ctx = { keys, random: randomBytes, offload };
    const batch = await Promise.all(numbers.map(async (number) => await prepared(ctx, memberId, number)));
    await database.transaction(async (db) => await add(db, batch));
  }
  await database.transaction(async (db) => await addBox(db, memberId, count));
  const jobs = database.db.selectFrom('jobs').select('id').where('kind', '=', searchMergeKind).limit(1);
  while ((await jobs.execute()).length > 0) await sleep(10);
  ending.abort();
  await running;
}

interface Filling {
  readonly keys: NodeKeys;
  readonly random: (size: number) => Uint8Array;
  readonly offload: Offload;
}

async function prepared(ctx: Filling, memberId: string, index: number) {
  const id = (index + 1).toString(16).padStart(32, '0');
  const facts = factsOf(index);
  const { datedAt, receivedAt, words } = await prepareItem(ctx, memberId, id, facts, filled.moment(index));
  const row: MailItemRow = {
    id,
    member_id: memberId,
    content_id: id,
    message_id: facts.messageId,
    thread_id: id,
    folder: 'inbox',
    uid: index + 1,
    modseq: index + 1,
    seen: index % 4 === 1 ? 0 : 1,
    flagged: index % 50 === 7 ? 1 : 0,
    keywords: '[]',
    has_attachments: facts.hasAttachments ? 1 : 0,
    from_key: facts.summary.from.address,
    subject: facts.subject,
    subject_key: facts.subject.replace('Re: ', ''),
    subject_folded: facts.subject.toLowerCase(),
    dated_at: datedAt,
    received_at: receivedAt,
    size: facts.size,
    sealed: summaries(ctx).seal(id, facts.summary),
    origin: null,
  };
  return { row, words, labelled: index % 10 === 5 };
}

async function add(db: Db, batch: readonly Awaited<ReturnType<typeof prepared>>[]): Promise<void> {
  const rows = batch.map(({ row }) => row);
  const nothing = new Uint8Array(64);
  await db
    .insertInto('mail_contents')
    .values(
      rows.map(({ id, size, received_at: at }) => ({
        id,
        node_key: nothing,
        sealed_layout: nothing,
        size,
        created_at: at,
      })),
    )
    .execute();
  await db.insertInto('mail_items').values(rows).execute();
  await db
    .insertInto('mail_thread_ids')
    .values(rows.map((row) => ({ member_id: row.member_id, message_id: row.message_id, thread_id: row.id })))
    .execute();
  const labels = batch.flatMap(({ row, labelled }) => {
    const { member_id, folder, seen, flagged, has_attachments, from_key, subject_key, dated_at, size, uid, id } = row;
    const listed = { folder, seen, flagged, has_attachments, from_key, subject_key, dated_at, size };
    return labelled ? [{ member_id, name: filled.label, uid, item_id: id, ...listed }] : [];
  });
  if (labels.length > 0) await db.insertInto('mail_item_labels').values(labels).execute();
  await putDocuments(
    db,
    batch.map(({ words }) => words),
  );
}

async function addBox(db: Db, memberId: string, count: number): Promise<void> {
  const common = { member_id: memberId, uid_validity: 1, uid_next: count + 1, created_at: BEGINNING };
  await db
    .insertInto('mail_mailboxes')
    .values([
      { ...common, name: 'inbox', name_key: 'inbox', kind: 'folder' },
      { ...common, name: filled.label, name_key: filled.label.toLowerCase(), kind: 'label' },
    ])
    .execute();
  await db.insertInto('mail_boxes').values({ member_id: memberId, modseq: count }).execute();
}
