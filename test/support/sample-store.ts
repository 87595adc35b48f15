import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { BlockStore } from '../../src/platform/store/blocks/blocks.ts';
import type { Database, Db } from '../../src/platform/store/database.ts';
import type { MemberRow } from '../../src/platform/store/tables/tables.ts';
import { tableShapes } from '../../src/platform/store/transfer/table-shape.ts';

/** Texts and bytes that copies like to lose. */
const texts = [
  '',
  ' ',
  'ä𝒳👩‍👩‍👧',
  '‮abc',
  "'; drop table members; --",
  'line\r\nline\t',
  '\u{10FFFF}\uFEFF',
  'e\u0301 é',
  'x'.repeat(5_000),
];
const blobs = [new Uint8Array(), Uint8Array.of(0), Uint8Array.from({ length: 256 }, (_, index) => index)];
const numbers = [0, -1, 1, 2 ** 31, -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
const reals = [0, 0.1, -1.5, 1e300, 5e-324, 1 / 3];

function pick<T>(values: readonly T[], index: number): T {
  return values[index % values.length] as T;
}

export function hexId(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

export function memberRow(name: string, changes: Partial<MemberRow> = {}): MemberRow {
  return {
    id: hexId(name, 24),
    username: name,
    username_key: name.toLowerCase(),
    email: `${name}@example.org`,
    email_key: `${name}@example.org`.toLowerCase(),
    type: 'User',
    status: 'active',
    suspended_at: null,
    public_key: hexId(`key of ${name}`, 64),
    mnemonic_tag: hexId(`tag of ${name}`, 64),
    verified_email_key: null,
    created_at: 1_700_000_000_000,
    created_by: hexId(name, 24),
    updated_at: 0,
    role_updated_at: 0,
    role_updated_by: hexId(name, 24),
    last_login_at: null,
    ...changes,
  };
}

/** Some rows of every kind, in one transaction. Another `seed` makes other rows. */
export async function fillStore(database: Database, members: number, seed = 'sample'): Promise<void> {
  await database.transaction(async (db) => {
    for (let index = 0; index < members; index += 1) await addMember(db, `${seed} ${index}`, index);
    for (const [index, payload] of texts.entries())
      await db
        .insertInto('jobs')
        .values({
          id: hexId(`${seed} job ${index}`, 32),
          kind: 'sample',
          payload,
          run_at: pick(numbers, index),
          attempts: 0,
          deaths: 0,
          claimed_until: index % 2 === 0 ? null : index,
          last_error: index % 3 === 0 ? null : pick(texts, index),
          created_at: index,
        })
        .execute();
    // A restore names the folder of blocks of a store that has no name for it yet.
    await db
      .insertInto('block_folder')
      .values({ id: hexId('blocks', 32) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

async function addMember(db: Db, name: string, index: number): Promise<void> {
  const member = memberRow(name, { username: `${pick(texts, index)}${name}`, updated_at: pick(numbers, index) });
  await db.insertInto('members').values(member).execute();
  await db
    .insertInto('member_credentials')
    .values({
      member_id: member.id,
      verifier: pick(blobs, index),
      memory_kib: pick(numbers, index),
      passes: 1,
      lanes: 1,
      argon2_salt: pick(blobs, index + 1),
      wrapped_key: pick(blobs, index + 2),
      pbkdf2_iterations: 1,
      updated_at: index,
    })
    .execute();
  await db
    .insertInto('energy_accounts')
    .values({
      member_id: member.id,
      balance: pick(reals, index),
      earned: pick(reals, index + 1),
      spent: pick(reals, index + 2),
      reserved: 0,
      reputation: 1,
      created_at: 0,
      updated_at: 0,
    })
    .execute();
  await db
    .insertInto('sessions')
    .values({
      id: hexId(`session of ${name}`, 32),
      member_id: member.id,
      jti_hash: hexId(`jti of ${name}`, 64),
      sealed_key: index % 2 === 0 ? null : pick(blobs, index),
      created_at: index,
      last_used_at: index,
      expires_at: pick(numbers, index),
      user_agent: pick(texts, index),
    })
    .execute();
  await db
    .insertInto('known_devices')
    .values({ member_id: member.id, device: hexId(`device of ${name}`, 64), used_at: pick(numbers, index) })
    .execute();
  await db
    .insertInto('replaced_tokens')
    .values({
      jti_hash: hexId(`earlier jti of ${name}`, 64),
      session_id: hexId(`session of ${name}`, 32),
      sealed_key: index % 2 === 0 ? null : pick(blobs, index),
      sealed_next: pick(blobs, index),
      good_until: pick(numbers, index),
    })
    .execute();
  await db
    .insertInto('session_secrets')
    .values({
      session_id: hexId(`session of ${name}`, 32),
      name: pick(texts, index),
      jti_hash: hexId(`jti of ${name}`, 64),
      sealed: pick(blobs, index),
      used_at: index,
    })
    .execute();
  await db
    .insertInto('idempotency_keys')
    .values({
      member_id: member.id,
      key_hash: hexId(`key of ${name}`, 64),
      request_hash: hexId(`request of ${name}`, 64),
      reply: index % 2 === 0 ? null : pick(blobs, index),
      expires_at: pick(numbers, index),
    })
    .execute();
}

export async function fillBlocks(blocks: BlockStore, count: number, seed = 'sample'): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const content = index === 0 ? new Uint8Array() : Buffer.from(`${seed} block ${index} `.repeat(index * 40));
    ids.push((await blocks.put(content)).id);
  }
  return ids;
}

/**
 * What a restored store has of a content: nobody is signed in, no answer waits for its repetition, and events begin with numbers beyond all
 * that there may have been since the backup.
 */
export function signedOut(content: Record<string, unknown[]>): Record<string, unknown[]> {
  const newest = Math.max(0, ...(content['event_topics'] as { last_seq: number }[]).map(({ last_seq }) => last_seq));
  return {
    ...content,
    sessions: [],
    session_secrets: [],
    replaced_tokens: [],
    socket_tickets: [],
    idempotency_keys: [],
    events: [],
    event_topics: [{ topic: '', last_seq: newest + 2 ** 32, touched_at: 0 }],
  };
}

/** All rows of all tables, as `expect` compares them. */
export async function contentOf(database: Pick<Database, 'db' | 'engine'>): Promise<Record<string, unknown[]>> {
  const content: Record<string, unknown[]> = {};
  for (const { name, key } of await tableShapes(database)) {
    const order = sql.join(key.map((column) => sql.ref(column)));
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)} order by ${order}`.execute(
      database.db,
    );
    content[name] = rows.map(comparable);
  }
  return content;
}

/** Comparing bytes one by one is slow. */
function comparable(row: Record<string, unknown>): Record<string, unknown> {
  const plain = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('hex') } : value,
  ]);
  return Object.fromEntries(plain);
}

export async function blockIds(blocks: BlockStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of blocks.list()) ids.push(id);
  return ids;
}

/** A row that refers to the block, with what it needs, in a store that `fillStore` has filled. */
export async function referToBlock(database: Database, blockId: string): Promise<void> {
  await database.transaction(async (db) => {
    const { id } = await db.selectFrom('members').select('id').limit(1).executeTakeFirstOrThrow();
    const archive = hexId('archive', 32);
    await db
      .insertInto('social_archives')
      .values({ id: archive, member_id: id, state: 'ready', done: 1, total: 1, size: 7, created_at: 0 })
      .execute();
    await db
      .insertInto('social_archive_blocks')
      .values({ archive_id: archive, piece: 0, hash: '', block_id: blockId, size: 7 })
      .execute();
  });
}
