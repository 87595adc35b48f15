import { createECDH } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { perform } from '../../../src/client/perform.ts';
import { keyPairFrom } from '../../../src/client/member-secret.ts';
import { giveNewest, openKeyring } from '../../../src/client/filevault/keyring.ts';
import { filevault } from '../../../src/contract/filevault.ts';
import { concat, toHex, utf8 } from '../../../src/crypto/bytes.ts';
import { eciesDecrypt } from '../../../src/crypto/ecies.ts';
import {
  containerKeyContext,
  contentKeyContext,
  openManifest,
} from '../../../src/crypto/formats/file-content/file-content.ts';
import { memberIdOf } from '../../../src/crypto/public-key.ts';
import { openWithKey } from '../../../src/crypto/sealing.ts';
import { insertRows } from '../../../src/platform/store/written-query.ts';
import { ownStatements } from '../../support/own-statements.ts';
import type { House } from '../../support/house.ts';
import { bothEngines as engines } from '../../support/stores.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openClientScene } from './client-scene.ts';
import { openScene, said } from './scene.ts';

/** More than one request has room for. */
const sizes = { sqljs: 2_000, postgres: 1_500 };
const AT_ONCE = 500;
/** The ledger has a few statements more for one entry than for another. */
const FEW = 10;

interface Reader {
  readonly memberId: string;
  readonly privateKey: Uint8Array;
}

interface Place {
  readonly house: House;
  readonly containerId: string;
  readonly rootId: string;
}

/** Members with keys of their own who may download everything in a container, put into the store. */
async function readersOf({ house, containerId, rootId }: Place, count: number): Promise<Reader[]> {
  const { db } = house.ctx;
  const { memberId } = await house.register();
  const member = await db.selectFrom('members').selectAll().where('id', '=', memberId).executeTakeFirstOrThrow();
  const readers = Array.from({ length: count }, (_, at) => {
    const pair = createECDH('secp256k1');
    pair.setPrivateKey(Buffer.from(`7${at.toString(16).padStart(63, '0')}`, 'hex'));
    const publicKey = Uint8Array.from(pair.getPublicKey(null, 'compressed'));
    const privateKey = Uint8Array.from(pair.getPrivateKey());
    return { memberId: memberIdOf(publicKey), privateKey, public_key: toHex(publicKey) };
  });
  for (let from = 0; from < count; from += AT_ONCE) {
    const part = readers.slice(from, from + AT_ONCE);
    await insertRows(
      db,
      'members',
      Array.from(part, ({ memberId: id, public_key }) => {
        const own = { id, public_key, username: id, username_key: id, email: `${id}@example.org` };
        return { ...member, ...own, email_key: own.email, mnemonic_tag: id };
      }),
    );
    await insertRows(
      db,
      'file_acl_entries',
      Array.from(part, ({ memberId: principal_id }, at) => ({
        node_id: rootId,
        place: 1_000 + from + at,
        container_id: containerId,
        principal_id,
        level: 'viewer' as const,
        flags: null,
        set_id: null,
        conditions: null,
      })),
    );
  }
  return readers;
}

async function lapse({ house }: Place, { memberId }: Reader): Promise<void> {
  await house.ctx.db.deleteFrom('file_acl_entries').where('principal_id', '=', memberId).execute();
}

/** How many have which keys, as `numbers: members`. */
async function held({ house, containerId }: Place): Promise<Record<string, number>> {
  const rows = await house.ctx.db
    .selectFrom('file_member_keys')
    .select(['member_id', 'number'])
    .where('container_id', '=', containerId)
    .orderBy('number')
    .execute();
  const numbersOf = new Map<string, number[]>();
  for (const { member_id, number } of rows) numbersOf.set(member_id, [...(numbersOf.get(member_id) ?? []), number]);
  const counts: Record<string, number> = {};
  for (const numbers of numbersOf.values()) counts[numbers.join()] = (counts[numbers.join()] ?? 0) + 1;
  return counts;
}

/** Opens the manifest of a file with what the store has for a reader. @returns the size that it says */
async function opened({ house, containerId }: Place, fileId: string, reader: Reader): Promise<number> {
  const { db, erasure } = house.ctx;
  const content = await db
    .selectFrom('file_contents')
    .selectAll()
    .where('file_id', '=', fileId)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  const { wrapped } = await db
    .selectFrom('file_member_keys')
    .select('wrapped')
    .where('container_id', '=', containerId)
    .where('number', '=', content.key_number)
    .where('member_id', '=', reader.memberId)
    .executeTakeFirstOrThrow();
  const key = eciesDecrypt(reader.privateKey, wrapped, containerKeyContext(containerId, content.key_number));
  const inner = contentKeyContext(containerId, content.key_number, content);
  const around = await erasure.keyOf(content.slot);
  const sealed = openWithKey(around!, content.wrapped_key, concat(inner, utf8(`\0${content.slot}`)));
  return openManifest(openWithKey(key, sealed, inner), content, content.manifest!)!.size;
}

/** Finishes an upload while somebody's access has ended by itself, with so many readers beside. */
async function finishedWith(engine: (typeof engines)[number], count: number) {
  const scene = await openScene(engine);
  await scene.file('makes the key');
  const readers = await readersOf(scene, count);
  const inner = await scene.folder('inner');
  await scene.get('PUT', `/acl/folder/${inner}`, { entries: [] });
  await runDueJobs(scene, 'filevault');
  const before = await held(scene);
  const { sessionId } = (await scene.begin(5)).body;
  await scene.chunk(sessionId, 0, Buffer.from('bytes'));
  await lapse(scene, readers[0]!);
  let fileId = '';
  const { statements } = await ownStatements(async () => {
    const answer = await scene.call('POST', `/upload/${sessionId}/finalize`, {});
    expect(said(answer)).toBe('200 success');
    fileId = answer.body.fileId;
  });
  await runDueJobs(scene, 'filevault');
  return {
    scene,
    readers,
    before,
    statements: statements.length,
    fileId,
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

describe.each(engines)('thousands of readers on %s', (engine) => {
  const many = sizes[engine];

  it('have the key of what is finished, and to finish it takes no more statements than with three', async () => {
    await using few = await finishedWith(engine, 3);
    await using lot = await finishedWith(engine, many);
    expect(lot.before).toEqual({ 1: many + 1 });
    expect(lot.statements).toBeLessThan(few.statements + FEW);
    const { scene, readers, fileId } = lot;
    // The owner is one more, and who lapsed is one less.
    expect(await held(scene)).toEqual({ '1,2': many });
    for (const at of [1, many / 2, many - 1]) expect(await opened(scene, fileId, readers[at]!)).toBe(5);
    await expect(opened(scene, fileId, readers[0]!)).rejects.toThrow(/no result/);
  });

  it('of a sealed container get its new key in several requests, also after a client that was stopped', async () => {
    await using client = await openClientScene(engine);
    const { scene, owner, container } = client;
    const { house } = scene;
    await owner.store(Buffer.from('makes the key'));
    const place = { house, containerId: container.id, rootId: container.rootFolderId };
    const readers = await readersOf(place, many);
    const own = await keyPairFrom(scene.owner.mnemonic);
    const { keys, members = [] } = await openKeyring(owner.caller, container, own);
    const holders = members.filter(({ numbers }) => numbers.length === 0);
    await giveNewest(owner.caller, container, { newest: 1, key: keys.get(1)!, holders });
    expect(await held(place)).toEqual({ 1: many + 1 });

    const upload = await owner.cipher.upload(await owner.begun(Buffer.from('bytes')));
    await lapse(place, readers[0]!);
    let fileId = '';
    const { statements } = await ownStatements(async () => void (fileId = (await upload.finish()).id));
    expect(await held(place)).toEqual({ '1,2': many });
    expect(statements.length).toBeLessThan(many / 10);
    for (const at of [1, many / 2, many - 1]) expect(await opened(place, fileId, readers[at]!)).toBe(5);
    await expect(opened(place, fileId, readers[0]!)).rejects.toThrow(/no result/);

    await house.ctx.db
      .deleteFrom('file_member_keys')
      .where('number', '=', 2)
      .where(
        'member_id',
        'in',
        readers.slice(1_000).map(({ memberId }) => memberId),
      )
      .execute();
    expect(await held(place)).toEqual({ 1: many - 1_000, '1,2': 1_000 });
    await (await client.person(scene.owner)).store(Buffer.from('goes on'));
    expect(await held(place)).toEqual({ '1,2': many });
    expect(await perform(owner.caller, filevault.showKeys, { id: container.id })).toMatchObject({ newest: 2 });
  });

  it('with whom a file is shared have the key of a new version, and to finish it takes no more statements', async () => {
    const statements: number[] = [];
    for (const count of [2, 200]) {
      await using scene = await openScene(engine);
      const id = await scene.file('first');
      const readers = await readersOf(scene, count);
      await scene.house.ctx.db.deleteFrom('file_acl_entries').execute();
      for (const { memberId } of readers)
        await scene.get('POST', '/share/internal', { fileId: id, recipientId: memberId });
      const { sessionId } = (await scene.begin(5, { replaces: id })).body;
      await scene.chunk(sessionId, 0, Buffer.from('bytes'));
      const finish = async () => await scene.get('POST', `/upload/${sessionId}/finalize`, {});
      statements.push((await ownStatements(finish)).statements.length);
      const { db } = scene.house.ctx;
      const rows = await db
        .selectFrom('file_share_keys')
        .select('content_id')
        .where('sealed', 'is not', null)
        .execute();
      expect(rows).toHaveLength(2 * count);
    }
    expect(statements[1]).toBeLessThan(statements[0]! + FEW);
  });
});
