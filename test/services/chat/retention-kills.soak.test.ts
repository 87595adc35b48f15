import { randomBytes } from 'node:crypto';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groups } from '../../../src/contract/chat/groups.ts';
import type { Database } from '../../../src/platform/store/database.ts';
import { erasureKeysPath, openErasure } from '../../../src/platform/store/erasure.ts';
import { openDatabase } from '../../../src/platform/store/open.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { systemRandom, toHex } from '../../../src/crypto/bytes.ts';
import { bundle, type Bundle } from '../../support/bundle.ts';
import { openHouse } from '../../support/house.ts';
import { lentBlocks } from '../../support/lent-blocks.ts';
import { bothEngines, createPostgresDatabase, putMigratedStore, temporaryFolder } from '../../support/stores.ts';
import { done, groupOf } from './chat-scene.ts';

const HOUR = 3_600_000;
/** Messages of one transaction of the job. */
const PAGE = 200;
const PAGES = 2;
/** Those whose time is over: some pages and a bit. */
const DUE = PAGES * PAGE + 50;
const KEPT = 10;
/** Every so many-th message has a file. */
const WITH_FILE = 50;
const file = Buffer.alloc(1_000, 'x');

/** What of the conversation is in the store. */
async function stateOf({ db }: Database) {
  const { erased_seq: erased, last_seq: last } = await db
    .selectFrom('conversations')
    .select(['erased_seq', 'last_seq'])
    .executeTakeFirstOrThrow();
  const rows = await db.selectFrom('conversation_messages').select(['seq', 'sealed', 'bytes']).orderBy('seq').execute();
  const files = await db.selectFrom('conversation_attachments').select(['id', 'size', 'message_count']).execute();
  const parts = await db.selectFrom('conversation_attachment_blocks').select('attachment_id').distinct().execute();
  const references = await db.selectFrom('conversation_message_attachments').select('attachment_id').execute();
  const { bytes } = await db.selectFrom('member_storage').select('bytes').executeTakeFirstOrThrow();
  return { erased, last, rows, files, parts, references, bytes };
}

/** Whatever was erased is whole: texts, files with their blocks, and what the sender's storage counts of them. @returns up to which number */
async function erasedIn(database: Database): Promise<number> {
  const { erased, last, rows, files, parts, references, bytes } = await stateOf(database);
  expect(rows.map(({ seq, sealed }) => [seq, sealed === null])).toEqual(
    Array.from({ length: last }, (_, at) => [at + 1, at + 1 <= erased]),
  );
  const left = Array.from({ length: last }, (_, at) => at + 1).filter((seq) => seq > erased && seq % WITH_FILE === 0);
  expect(files.map(({ size, message_count: count }) => [size, count])).toEqual(left.map(() => [file.length, 1]));
  const ids = files.map(({ id }) => id).toSorted();
  expect(parts.map((part) => part.attachment_id).toSorted()).toEqual(ids);
  expect(references.map((one) => one.attachment_id).toSorted()).toEqual(ids);
  const texts = rows.reduce((sum, row) => sum + row.bytes, 0);
  expect(bytes).toBe(texts + left.length * file.length);
  return erased;
}

describe('messages whose time is over, when the process that erases them is killed', () => {
  let program: Bundle;
  beforeAll(async () => {
    program = await bundle('test/services/chat/retention-process.ts');
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
  });

  it.each(bothEngines)('are erased in whole pages, and the rest after the next start, on %s', async (engine) => {
    await using created = engine === 'postgres' ? await createPostgresDatabase({ migrated: true }) : undefined;
    await using folder = await temporaryFolder();
    if (created === undefined) await putMigratedStore(folder.path);
    const place = { dataDir: folder.path, url: created?.url };
    const secret = Uint8Array.from(randomBytes(32));
    let now: number;
    {
      await using store = await openDatabase(place);
      const own = { flags: { 'data-dir': folder.path }, env: {}, home: folder.path, cwd: folder.path };
      const { config } = await loadConfig(own);
      const erasure = openErasure({ path: erasureKeysPath(config), store, random: systemRandom });
      const context = { store, db: store.db, blocks: lentBlocks(folder.path), erasure };
      await using house = await openHouse(engine, { secret, context });
      const [ann, bob] = [await house.register(), await house.register()];
      const conversationId = await groupOf(house, [ann, bob]);
      await done(house, groups.updateGroup, ann, { conversationId, retentionMs: HOUR });
      const headers = { 'content-type': 'text/plain', 'content-length': String(file.length) };
      for (let seq = 1; seq <= DUE + KEPT; seq += 1) {
        // What comes later is kept when the time of the others is over.
        house.clock.advance(seq === DUE + 1 ? HOUR / 2 : 1_000);
        const request = { token: ann.token, rawBody: Uint8Array.from(file), headers };
        const attachments =
          seq % WITH_FILE === 0
            ? [(await house.api('POST', '/api/chat/attachments?filename=tea.txt', request)).body.data.id as string]
            : [];
        await done(house, groups.sendToGroup, ann, { conversationId, content: `Message ${seq}`, attachments });
      }
      now = house.clock.now() + HOUR / 2 + 120_000;
      expect(await erasedIn(store)).toBe(0);
    }
    const run = async (...die: string[]) => {
      const args = [program.path, place.dataDir, place.url ?? '-', toHex(secret), String(now), ...die];
      const { stdout, signal } = await execa(process.execPath, args, { reject: false, stderr: 'inherit' });
      await using store = await openDatabase(place);
      return [signal ?? stdout, await erasedIn(store)];
    };
    expect(await run('inside', '1')).toEqual(['SIGKILL', 0]);
    expect(await run('after', '1')).toEqual(['SIGKILL', PAGE]);
    expect(await run('inside', '1')).toEqual(['SIGKILL', PAGE]);
    expect(await run('after', '1')).toEqual(['SIGKILL', PAGES * PAGE]);
    expect(await run('inside', '1')).toEqual(['SIGKILL', PAGES * PAGE]);
    expect(await run('never', '0')).toEqual(['done', DUE]);
    expect(await run('never', '0')).toEqual(['done', DUE]);
  });
});
