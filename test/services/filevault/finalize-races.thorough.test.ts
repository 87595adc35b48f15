import { describe, expect, it } from 'vitest';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { codeOf, openClientScene } from './client-scene.ts';
import { openScene, said, type Scene } from './scene.ts';
import { inStage } from '../../support/stage.ts';

/**
 * Transactions that overlap need an engine that runs several at once. What keeps them apart is the row of the container: a change of a list
 * reads it, and a finished upload counts its bytes in it, so of two that overlap one begins anew and sees what the other did.
 */
const overlaps = bothEngines.includes('postgres');

const viewers = (...members: HouseMember[]) => ({
  entries: members.map(({ memberId }) => ({ principalId: memberId, level: 'viewer' })),
});

/** Both requests, the second one within the transaction of the first. @returns what each was answered, and whether the second waited for the first */
async function overlapping<One, Other>(
  { house }: Scene,
  first: () => Promise<One>,
  second: () => Promise<Other>,
): Promise<{ one: One; other: Other; waited: boolean }> {
  let other: Promise<Other> | undefined;
  const cameFirst = house.within(() => (other = second()));
  const one = await first();
  if (other === undefined) throw new Error('they did not overlap');
  return { one, other: await other, waited: cameFirst() === false };
}

/** An upload that has all its chunks, to a container with the readers bob and cyd. */
async function openBegun() {
  const scene = await openScene('postgres');
  const [bob, cyd, dan] = [await scene.house.register(), await scene.house.register(), await scene.house.register()];
  const list = async (...members: HouseMember[]) =>
    said(await scene.call('PUT', `/acl/folder/${scene.rootId}`, viewers(...members)));
  await list(bob, cyd);
  await scene.file('makes the key');
  await runDueJobs(scene, 'filevault');
  const begin = async (more: object = {}) => {
    // Ids of one millisecond have no order.
    scene.house.clock.advance(1);
    const { sessionId } = (await scene.begin(5, more)).body;
    await scene.chunk(sessionId, 0, Buffer.from('bytes'));
    return sessionId as string;
  };
  return {
    scene,
    bob,
    cyd,
    dan,
    list,
    begin,
    finish: async (id: string) => await scene.call('POST', `/upload/${id}/finalize`, {}),
    /** number of the key of the newest content, and who has which keys, after the jobs */
    async keys() {
      await runDueJobs(scene, 'filevault');
      const { db } = scene.house.ctx;
      const { key_number: number } = await db
        .selectFrom('file_contents')
        .select('key_number')
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow();
      const rows = await db.selectFrom('file_member_keys').select(['member_id', 'number']).execute();
      const has = ({ memberId }: HouseMember) =>
        rows.flatMap((row) => (row.member_id === memberId ? [row.number] : [])).toSorted();
      return { number, owner: has(scene.owner), bob: has(bob), cyd: has(cyd), dan: has(dan) };
    },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

describe.runIf(overlaps)('an upload that is finished while readers change on postgres', () => {
  it('has no key that a removed reader ever had, if the removal was answered before it', async () => {
    await using begun = await openBegun();
    const { scene, bob, cyd } = begun;
    for (const replaces of [undefined, await scene.file('a file')]) {
      const id = await begun.begin(replaces === undefined ? {} : { replaces });
      const before = (await begun.keys()).number;
      const { one, other, waited } = await overlapping(
        scene,
        async () => await begun.finish(id),
        async () => await begun.list(cyd),
      );
      expect([said(one), other]).toEqual(['200 success', '200 success']);
      const { number, owner, bob: ofBob, cyd: ofCyd } = await begun.keys();
      expect(ofBob).toEqual([]);
      // Either the removal waited for the commit, or the content is under a key that came with the removal.
      expect(number).toBe(waited ? before : before + 1);
      expect(ofCyd).toEqual(owner);
      await begun.list(bob, cyd);
      await begun.keys();
    }
  });

  it('the same when the removal is first', async () => {
    await using begun = await openBegun();
    const { scene, cyd } = begun;
    const id = await begun.begin();
    const { one, other, waited } = await overlapping(
      scene,
      async () => await begun.list(cyd),
      async () => await begun.finish(id),
    );
    expect([one, said(other)]).toEqual(['200 success', '200 success']);
    const { number, owner, bob, cyd: ofCyd } = await begun.keys();
    expect(number).toBe(waited ? 2 : 1);
    expect(bob).toEqual([]);
    expect(ofCyd).toEqual(owner);
    expect(owner).toEqual([1, 2]);
  });

  it('is opened by a reader who was added, in both orders', async () => {
    await using begun = await openBegun();
    const { scene, bob, cyd, dan } = begun;
    const [first, second] = [await begun.begin(), await begun.begin()];
    const add = async () => await begun.list(bob, cyd, dan);
    const one = await overlapping(scene, async () => await begun.finish(first), add);
    expect([said(one.one), one.other]).toEqual(['200 success', '200 success']);
    expect(await begun.keys()).toMatchObject({ number: 1, dan: [1] });
    await begun.list(bob, cyd);
    const other = await overlapping(scene, add, async () => await begun.finish(second));
    expect([other.one, said(other.other)]).toEqual(['200 success', '200 success']);
    const { number, dan: ofDan, owner } = await begun.keys();
    expect(number).toBe(2);
    expect(ofDan).toEqual(owner);
  });
});

/** An upload to a container whose members encrypt, with the readers bob and cyd, that has all its chunks. */
async function openSealed() {
  const client = await openClientScene('postgres');
  await client.owner.store(Buffer.from('makes the key'));
  const [bob, cyd] = [await client.guest({ level: 'viewer' }), await client.guest({ level: 'viewer' })];
  const { db } = client.scene.house.ctx;
  return {
    ...client,
    bob: bob.member,
    cyd: cyd.member,
    read: async (who: HouseMember, id: string) => (await (await client.person(who)).read(id)).toString(),
    begin: async () => await client.owner.cipher.upload(await client.owner.begun(Buffer.from('bytes'))),
    async keyOf(fileId: string) {
      const content = db.selectFrom('file_contents').select('key_number').where('file_id', '=', fileId);
      return (await content.executeTakeFirstOrThrow()).key_number;
    },
    /** numbers of the keys that a member has */
    async has({ memberId }: HouseMember) {
      const rows = db.selectFrom('file_member_keys').select('number').where('member_id', '=', memberId);
      return (await rows.orderBy('number').execute()).map(({ number }) => number);
    },
  };
}

describe.runIf(overlaps)('a sealed upload that is finished while readers change on postgres', () => {
  it.each(inStage(['removing'], ['removing'], ['finishing', 'removing']))(
    'is under no key that a removed reader had, if the removal was first: %s',
    async (first) => {
      await using sealed = await openSealed();
      const { scene, bob, cyd, acl, owner } = sealed;
      const upload = await sealed.begin();
      const finish = async () => (await upload.finish()).id;
      const remove = async () => await acl(viewers(cyd).entries);
      const [id, waited] =
        first === 'finishing'
          ? await overlapping(scene, finish, remove).then(({ one, waited: later }) => [one, later] as const)
          : await overlapping(scene, remove, finish).then(({ other, waited: later }) => [other, !later] as const);
      // Either the content was there before the removal, or its key is one that came with it.
      expect(await sealed.keyOf(id)).toBe(waited ? 1 : 2);
      expect(await sealed.has(bob)).toEqual([]);
      expect(await codeOf(sealed.read(bob, id))).toBe('FILE_NOT_FOUND');
      expect(await sealed.read(cyd, id)).toBe('bytes');
      // What comes next has a new key in any case.
      const next = await owner.store(Buffer.from('next'));
      expect(await sealed.keyOf(next)).toBe(2);
      expect(await sealed.read(cyd, next)).toBe('next');
    },
  );

  it.each(inStage(['finishing'], ['finishing'], ['finishing', 'adding']))(
    'says that an added reader lacks its key: %s',
    async (first) => {
      await using sealed = await openSealed();
      const { scene, bob, cyd, acl, owner, container } = sealed;
      const dan = await scene.house.register();
      const upload = await sealed.begin();
      const finish = async () => (await upload.finish()).id;
      const add = async () => await acl(viewers(bob, cyd, dan).entries);
      const id =
        first === 'finishing'
          ? (await overlapping(scene, finish, add)).one
          : (await overlapping(scene, add, finish)).other;
      const { members, newest, outdated } = await scene.get('GET', `/vaults/${container.id}/keys`);
      const due = members.filter(({ numbers }: { numbers: number[] }) => !numbers.includes(newest));
      expect([newest, outdated, due.map((one: { memberId: string }) => one.memberId)]).toEqual([
        1,
        false,
        [dan.memberId],
      ]);
      expect(await codeOf(sealed.read(dan, id))).toBe('KEY_MISSING');
      await owner.cipher.give(dan.memberId);
      expect(await sealed.read(dan, id)).toBe('bytes');
    },
  );
});

describe.runIf(overlaps)('a version that is finished while a share changes on postgres', () => {
  async function openShared() {
    const scene = await openScene('postgres');
    const bob = await scene.house.register();
    const id = await scene.file('first');
    const share = async () =>
      (await scene.get('POST', '/share/internal', { fileId: id, recipientId: bob.memberId })).shareId as string;
    const begin = async () => {
      const { sessionId } = (await scene.begin(5, { replaces: id })).body;
      await scene.chunk(sessionId, 0, Buffer.from('bytes'));
      return async () => said(await scene.call('POST', `/upload/${sessionId}/finalize`, {}));
    };
    return {
      scene,
      id,
      share,
      begin,
      /** keys of contents that a share has */
      async keysOf(shareId: string) {
        const rows = scene.house.ctx.db
          .selectFrom('file_share_keys')
          .select('content_id')
          .where('share_id', '=', shareId);
        return (await rows.where('sealed', 'is not', null).execute()).length;
      },
      [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
    };
  }

  it.each(inStage(['revoking'], ['revoking'], ['finishing', 'revoking']))(
    'gives no key to a share that is revoked: %s',
    async (first) => {
      await using shared = await openShared();
      const { scene } = shared;
      const shareId = await shared.share();
      expect(await shared.keysOf(shareId)).toBe(1);
      const finish = await shared.begin();
      const revoke = async () => said(await scene.call('DELETE', `/share/internal/${shareId}`));
      const answers =
        first === 'finishing' ? await overlapping(scene, finish, revoke) : await overlapping(scene, revoke, finish);
      expect([answers.one, answers.other]).toEqual(['200 success', '200 success']);
      expect(await shared.keysOf(shareId)).toBe(0);
    },
  );

  it.each(inStage(['finishing'], ['finishing'], ['finishing', 'sharing']))(
    'gives its key to a share that is made: %s',
    async (first) => {
      await using shared = await openShared();
      const { scene } = shared;
      const finish = await shared.begin();
      if (first === 'finishing') {
        const { one, other: shareId } = await overlapping(scene, finish, shared.share);
        expect([one, await shared.keysOf(shareId)]).toEqual(['200 success', 2]);
      } else {
        const { one: shareId, other } = await overlapping(scene, shared.share, finish);
        expect([other, await shared.keysOf(shareId)]).toEqual(['200 success', 2]);
      }
    },
  );
});
