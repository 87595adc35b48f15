import { describe, expect, it } from 'vitest';
import { concat, utf8 } from '../../../src/crypto/bytes.ts';
import { eciesDecrypt } from '../../../src/crypto/ecies.ts';
import {
  containerKeyContext,
  contentKeyContext,
  openManifest,
} from '../../../src/crypto/formats/file-content/file-content.ts';
import { openWithKey } from '../../../src/crypto/sealing.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openScene, said, type Scene } from './scene.ts';
import { privateKeyOf } from './sharing-scene.ts';

/** `member number`, of everybody who has a key of the container, after the jobs that give them. */
async function holders(scene: Scene): Promise<string[]> {
  await runDueJobs(scene, 'filevault');
  const rows = await scene.house.ctx.db
    .selectFrom('file_member_keys')
    .select(['member_id', 'number'])
    .where('container_id', '=', scene.containerId)
    .execute();
  return rows.map(({ member_id, number }) => `${member_id} ${number}`).toSorted();
}

function held(...pairs: readonly (readonly [HouseMember, ...number[]])[]): string[] {
  return pairs.flatMap(([{ memberId }, ...numbers]) => numbers.map((number) => `${memberId} ${number}`)).toSorted();
}

/** What somebody does who has a copy of the store, the file of erasure keys and a recovery phrase, and neither node nor its keys. */
async function openedBy(scene: Scene, fileId: string, member: HouseMember): Promise<number> {
  const { db, erasure } = scene.house.ctx;
  const content = await db
    .selectFrom('file_contents')
    .selectAll()
    .where('file_id', '=', fileId)
    .executeTakeFirstOrThrow();
  const { wrapped } = await db
    .selectFrom('file_member_keys')
    .select('wrapped')
    .where('container_id', '=', content.container_id)
    .where('number', '=', content.key_number)
    .where('member_id', '=', member.memberId)
    .executeTakeFirstOrThrow();
  const name = containerKeyContext(content.container_id, content.key_number);
  const container = eciesDecrypt(await privateKeyOf(member), wrapped, name);
  const inner = contentKeyContext(content.container_id, content.key_number, content);
  const around = await erasure.keyOf(content.slot);
  const sealed = openWithKey(around!, content.wrapped_key, concat(inner, utf8(`\0${content.slot}`)));
  const manifest = openManifest(openWithKey(container, sealed, inner), content, content.manifest!);
  return manifest!.size;
}

describe.each(engines)('keys of a container on %s', (engine) => {
  it('open for the phrases of the owner and of whoever may download everything, without the node', async () => {
    await using scene = await openScene(engine);
    const [bob, cyd] = [await scene.house.register(), await scene.house.register()];
    await scene.grant('folder', scene.rootId, { principalId: bob.memberId, level: 'viewer' });
    const id = await scene.file('eleven byte');
    expect(await holders(scene)).toEqual(held([scene.owner, 1], [bob, 1]));
    expect(await openedBy(scene, id, scene.owner)).toBe(11);
    expect(await openedBy(scene, id, bob)).toBe(11);
    await expect(openedBy(scene, id, cyd)).rejects.toThrow(/no result/);
    await scene.grant('folder', scene.rootId, { principalId: cyd.memberId, level: 'editor' });
    expect(await holders(scene)).toEqual(held([scene.owner, 1], [bob, 1], [cyd, 1]));
    expect(await openedBy(scene, id, cyd)).toBe(11);
  });

  it('are not for those who may download a part, at some times, or nothing', async () => {
    await using scene = await openScene(engine);
    const [ann, bob, cyd, dan, eve] = [
      await scene.house.register(),
      await scene.house.register(),
      await scene.house.register(),
      await scene.house.register(),
      await scene.house.register(),
    ];
    const folder = await scene.folder('inner');
    await scene.file('one', { folder });
    await scene.grant('folder', folder, { principalId: ann.memberId, level: 'owner' });
    await scene.grant('folder', scene.rootId, { principalId: bob.memberId, flags: ['read', 'preview'] });
    const conditions = { notAfter: '2030-01-01T00:00:00Z' };
    await scene.grant('folder', scene.rootId, { principalId: cyd.memberId, level: 'viewer', conditions });
    await scene.grant('folder', scene.rootId, { principalId: dan.memberId, level: 'viewer' });
    expect(await holders(scene)).toEqual(held([scene.owner, 1], [dan, 1]));
    await scene.grant('folder', folder, { principalId: dan.memberId, flags: ['read'] });
    await scene.grant('folder', scene.rootId, { principalId: eve.memberId, level: 'viewer' });
    expect(await holders(scene)).toEqual(held([scene.owner, 1, 2], [eve, 1, 2]));
  });

  it('leave whoever loses the access at once, and what comes after is under a key that they never had', async () => {
    await using scene = await openScene(engine);
    const { db } = scene.house.ctx;
    const [bob, cyd] = [await scene.house.register(), await scene.house.register()];
    const entries = [bob, cyd].map(({ memberId }) => ({ principalId: memberId, level: 'viewer' }));
    const put = async (list: readonly object[]) =>
      await scene.call('PUT', `/acl/folder/${scene.rootId}`, { entries: list });
    await put(entries);
    const before = await scene.file('before');
    expect(await holders(scene)).toEqual(held([scene.owner, 1], [bob, 1], [cyd, 1]));
    expect(said(await put(entries.slice(1)))).toBe('200 success');
    // In the transaction of the change: no job ran.
    expect(
      await db.selectFrom('file_member_keys').select('number').where('member_id', '=', bob.memberId).execute(),
    ).toEqual([]);
    const after = await scene.file('afterwards');
    const rows = await db.selectFrom('file_contents').select(['file_id', 'key_number']).execute();
    expect(new Map(rows.map(({ file_id, key_number }) => [file_id, key_number]))).toEqual(
      new Map([
        [before, 1],
        [after, 2],
      ]),
    );
    expect(await holders(scene)).toEqual(held([scene.owner, 1, 2], [cyd, 1, 2]));
    expect([await openedBy(scene, before, cyd), await openedBy(scene, after, cyd)]).toEqual([6, 10]);
    expect([await scene.read(before), await scene.read(after)].map(({ bytes }) => bytes.toString())).toEqual([
      'before',
      'afterwards',
    ]);
    // Changes of others' rights make no new key.
    await put([...entries.slice(1), { principalId: bob.memberId, flags: ['read'] }]);
    expect(await holders(scene)).toEqual(held([scene.owner, 1, 2], [cyd, 1, 2]));
  });

  it('leave whoever loses the access before the job that would give them', async () => {
    await using scene = await openScene(engine);
    const bob = await scene.house.register();
    await scene.file('one');
    await scene.grant('folder', scene.rootId, { principalId: bob.memberId, level: 'viewer' });
    await scene.get('PUT', `/acl/folder/${scene.rootId}`, { entries: [] });
    expect(await holders(scene)).toEqual(held([scene.owner, 1]));
    // A list that goes with its folder asks nobody: whoever is left with a key is noticed when something is stored.
    await scene.grant('folder', scene.rootId, { principalId: bob.memberId, level: 'viewer' });
    expect(await holders(scene)).toEqual(held([scene.owner, 1], [bob, 1]));
    await scene.house.ctx.db.deleteFrom('file_acl_entries').execute();
    await scene.file('two');
    expect(await holders(scene)).toEqual(held([scene.owner, 1, 2]));
  });

  it('are never an older one for what ends after somebody lost the access, whenever it began', async () => {
    await using scene = await openScene(engine);
    const { db } = scene.house.ctx;
    const bob = await scene.house.register();
    await scene.grant('folder', scene.rootId, { principalId: bob.memberId, level: 'viewer' });
    const before = await scene.file('before');
    const begun = said201(await scene.begin(5));
    const version = said201(await scene.begin(7, { replaces: before }));
    expect(said(await scene.chunk(begun, 0, Buffer.from('after')))).toBe('200 success');
    expect(await holders(scene)).toEqual(held([scene.owner, 1], [bob, 1]));
    await scene.get('PUT', `/acl/folder/${scene.rootId}`, { entries: [] });
    expect(said(await scene.chunk(version, 0, Buffer.from('version')))).toBe('200 success');
    const finish = async (id: string) => (await scene.get('POST', `/upload/${id}/finalize`, {})).fileId as string;
    const after = await finish(begun);
    expect(await finish(version)).toBe(before);
    // Once more changes nothing.
    expect(await finish(begun)).toBe(after);
    const rows = await db.selectFrom('file_contents').select(['size', 'key_number']).orderBy('size').execute();
    expect(rows.map(({ size, key_number }) => [size, key_number])).toEqual([
      [5, 2],
      [6, 1],
      [7, 2],
    ]);
    expect(await holders(scene)).toEqual(held([scene.owner, 1, 2]));
    expect(await openedBy(scene, after, scene.owner)).toBe(5);
    expect((await scene.read(after)).bytes.toString()).toBe('after');
    expect((await scene.read(before)).bytes.toString()).toBe('version');
  });
});

function said201(answer: Awaited<ReturnType<Scene['begin']>>): string {
  expect(answer.status).toBe(201);
  return answer.body.sessionId;
}
