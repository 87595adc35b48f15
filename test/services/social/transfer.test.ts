import { describe, expect, it } from 'vitest';
import { socialLimits } from '../../../src/contract/social/limits.ts';
import { importHandler } from '../../../src/services/social/transfer/import-job.ts';
import { engines } from '../../support/stores.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { runSocialJobs } from './due-jobs.ts';
import { openSocial, said, type SocialScene } from './scene.ts';

const config = { social: { rss: false, publicUrl: 'https://home.example' } };

async function exported(scene: SocialScene, who: HouseMember, what: string): Promise<string> {
  const headers = { authorization: `Bearer ${who.token}` };
  const answer = await scene.house.fetch(new Request(`http://house.test/api/social/export/${what}`, { headers }));
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  return await answer.text();
}

async function upload(scene: SocialScene, who: HouseMember, path: string, rawBody: string | Uint8Array<ArrayBuffer>) {
  const headers = { 'content-type': 'text/csv' };
  return await scene.house.api('POST', `/api/social/import/${path}`, { token: who.token, rawBody, headers });
}

async function imported(scene: SocialScene, who: HouseMember, path: string, csv: string) {
  expect((await upload(scene, who, path, csv)).status).toBe(202);
  await runSocialJobs(scene);
  return (await scene.ask(who, 'GET', '/import')).import;
}

describe.each(engines)('export and import on %s', (engine) => {
  it('have the columns of Mastodon, and bring everything to another account', async () => {
    await using scene = await openSocial(engine, { config });
    const ada = await scene.house.register({ username: 'ada' });
    const eve = await scene.house.register({ username: 'eve' });
    const dash = await scene.house.register({ username: '-dash' });
    const shy = await scene.house.register({ username: 'shy' });
    const bad = await scene.house.register({ username: 'bad' });
    await scene.protect(shy);
    for (const other of [dash, shy]) await scene.follow(ada, other);
    await scene.ask(ada, 'POST', '/users/bad/block');
    await scene.ask(ada, 'POST', '/users/eve/mute', { duration: '1h' });
    const post = await scene.post(dash, 'one');
    await scene.ask(ada, 'POST', `/posts/${post}/bookmark`);
    const hidden = await scene.post(shy, 'two');
    await scene.ask(ada, 'POST', `/posts/${hidden}/bookmark`);
    const follows = await exported(scene, ada, 'follows');
    const [title, ...rows] = follows.trimEnd().split('\r\n');
    expect(title).toBe('Account address,Show boosts,Notify on new posts,Languages');
    expect(rows.toSorted()).toEqual([`"'-dash@home.example",true,false,`, 'shy@home.example,true,false,']);
    expect(await exported(scene, ada, 'blocks')).toBe('bad@home.example\r\n');
    expect(await exported(scene, ada, 'mutes')).toBe('Account address,Hide notifications\r\neve@home.example,true\r\n');
    const bookmarks = await exported(scene, ada, 'bookmarks');
    expect(bookmarks).toContain(`https://home.example/social/posts/${post}\r\n`);
    expect(await imported(scene, eve, 'follows', follows)).toMatchObject({
      state: 'done',
      imported: 1,
      requested: 1,
      refusedCount: 0,
    });
    expect(await scene.ask(eve, 'GET', '/users/shy')).toMatchObject({ following: 'requested' });
    expect(await scene.ask(eve, 'GET', '/users/-dash')).toMatchObject({ following: 'yes', followerCount: 2 });
    expect(await imported(scene, eve, 'blocks', await exported(scene, ada, 'blocks'))).toMatchObject({ imported: 1 });
    expect(said(await scene.call(bad, 'GET', '/users/eve'))).toBe('404 MEMBER_NOT_FOUND');
    expect(await imported(scene, eve, 'bookmarks', bookmarks)).toMatchObject({
      imported: 1,
      refused: [{ reason: 'POST_NOT_FOUND' }],
    });
    expect((await scene.ask(eve, 'GET', '/bookmarks')).posts).toHaveLength(1);
    scene.house.clock.advance(3_600_000);
    expect(await exported(scene, ada, 'mutes')).toBe('Account address,Hide notifications\r\n');
    await scene.ask(shy, 'DELETE', '/users/ada/follower');
    expect(await exported(scene, ada, 'bookmarks')).not.toContain(hidden);
  });

  it('refuse lines with a reason, and overwrite only if asked', async () => {
    await using scene = await openSocial(engine, { config });
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const carl = await scene.house.register({ username: 'carl' });
    await scene.house.register({ username: 'dora' });
    await scene.ask(carl, 'POST', '/users/ada/block');
    await scene.follow(ada, bob);
    const csv =
      'Account address\r\nada\nbob@HOME.example\n@dora,x\ncarl\nx@elsewhere.example\nbob@example.org\n=1+1\nnobody\n';
    const done = await imported(scene, ada, 'follows', csv);
    expect(done).toMatchObject({ total: 8, done: 8, imported: 1, present: 1, refusedCount: 6, removed: 0 });
    expect(done.refused).toEqual([
      { line: 2, text: 'ada', reason: 'VALIDATION_ERROR' },
      { line: 5, text: 'carl', reason: 'MEMBER_NOT_FOUND' },
      { line: 6, text: 'x@elsewhere.example', reason: 'MEMBER_NOT_FOUND' },
      { line: 7, text: 'bob@example.org', reason: 'MEMBER_NOT_FOUND' },
      { line: 8, text: '=1+1', reason: 'MEMBER_NOT_FOUND' },
      { line: 9, text: 'nobody', reason: 'MEMBER_NOT_FOUND' },
    ]);
    expect(await imported(scene, ada, 'follows?mode=overwrite', 'dora\n')).toMatchObject({ present: 1, removed: 1 });
    expect(await scene.ask(ada, 'GET', '/users/bob')).toMatchObject({ following: 'no', followerCount: 0 });
    expect(await scene.ask(ada, 'GET', '/users/ada')).toMatchObject({ followingCount: 1 });
    expect(said(await scene.call(bob, 'GET', '/import'))).toBe('404 IMPORT_NOT_FOUND');
  });

  it('overwrite what an export has, before they add, and nothing for a file of somewhere else', async () => {
    await using scene = await openSocial(engine, { config });
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    await scene.house.register({ username: 'carl' });
    const shy = await scene.house.register({ username: 'shy' });
    const away = await scene.house.register({ username: 'away' });
    const dora = await scene.house.register({ username: 'dora' });
    const { db } = scene.house.ctx;
    const followed = async () => {
      const rows = db.selectFrom('social_follows').select('followee_id').where('follower_id', '=', ada.memberId);
      return (await rows.execute()).map(({ followee_id: id }) => id).toSorted();
    };
    await scene.protect(shy);
    for (const other of [bob, away]) await scene.follow(ada, other);
    await scene.ask(ada, 'POST', '/users/shy/follow', {});
    for (const other of [away, dora]) {
      const post = await scene.post(other, 'Kept');
      await scene.ask(ada, 'POST', `/posts/${post}/bookmark`);
    }
    await scene.ask(ada, 'POST', '/users/dora/mute', {});
    await scene.ask(dora, 'POST', '/users/ada/block');
    await scene.ask(ada, 'POST', '/users/carl/block');
    await scene.suspend(away);
    const foe = await scene.house.register({ username: 'foe' });
    await scene.ask(foe, 'POST', '/users/ada/block');
    const all = [bob, shy, away].map(({ memberId }) => memberId).toSorted();
    const open = await scene.post(bob, 'Open');
    await scene.ask(ada, 'POST', `/posts/${open}/bookmark`);
    for (const what of ['follows', 'blocks', 'mutes', 'bookmarks']) {
      const done = await imported(scene, ada, `${what}?mode=overwrite`, await exported(scene, ada, what));
      expect(done).toMatchObject({ what, total: 1, imported: 0, removed: 0 });
    }
    expect((await scene.ask(ada, 'GET', '/blocks')).people).toHaveLength(1);
    expect(await followed()).toEqual(all);
    expect(await db.selectFrom('social_bookmarks').selectAll().execute()).toHaveLength(3);

    // Nobody here, oneself, and somebody who is as unknown as nobody.
    for (const csv of ['nobody\nbob@elsewhere.example\n', 'ada\n', 'foe\n'])
      expect(await imported(scene, ada, 'follows?mode=overwrite', csv)).toMatchObject({
        removed: 0,
        refusedCount: expect.any(Number),
      });
    for (const id of ['f'.repeat(32), 'nothing'])
      expect(await imported(scene, ada, 'bookmarks?mode=overwrite', id)).toMatchObject({ removed: 0, refusedCount: 1 });
    expect(await followed()).toEqual(all);

    await scene.house.register({ username: 'eve' });
    const { follows } = socialLimits;
    try {
      Object.assign(socialLimits, { follows: 3 });
      expect(await imported(scene, ada, 'follows?mode=overwrite', 'eve\n')).toMatchObject({ imported: 1, removed: 1 });
    } finally {
      Object.assign(socialLimits, { follows });
    }
  });

  it('refuse other files, and a second import at once', async () => {
    await using scene = await openSocial(engine, { config });
    const ada = await scene.house.register({ username: 'ada' });
    await scene.house.register({ username: 'bob' });
    for (const csv of [
      '',
      '\r\n',
      'Account address,Show boosts\r\n',
      new Uint8Array([0xff, 0x41]),
      'a\n'.repeat(20_001),
    ])
      expect(said(await upload(scene, ada, 'follows', csv))).toBe('400 IMPORT_UNREADABLE');
    expect(said(await upload(scene, ada, 'follows', 'x'.repeat(1024 * 1024 + 1)))).toBe('413 PAYLOAD_TOO_LARGE');
    expect(said(await upload(scene, ada, 'lists', 'bob'))).toBe('400 VALIDATION_ERROR');
    expect((await upload(scene, ada, 'mutes', 'bob')).body.data.import).toMatchObject({
      state: 'pending',
      total: 1,
      done: 0,
    });
    expect(said(await upload(scene, ada, 'mutes', 'bob'))).toBe('409 IMPORT_RUNNING');
    await runSocialJobs(scene);
    expect(await imported(scene, ada, 'mutes', 'bob')).toMatchObject({ present: 1 });

    // One that cannot be read says so after the last try, and is in nobody's way.
    await upload(scene, ada, 'mutes', 'bob');
    const { db } = scene.house.ctx;
    await db.updateTable('social_imports').set({ lines: 'damaged' }).execute();
    const { id: importId } = await db.selectFrom('social_imports').select('id').executeTakeFirstOrThrow();
    const read = async (attempt: number) => {
      const job = { id: importId, attempt, signal: new AbortController().signal, finish: async () => {} };
      await importHandler(scene.house.ctx)({ importId }, job);
    };
    await expect(read(2)).rejects.toThrow('damaged');
    expect((await scene.ask(ada, 'GET', '/import')).import).toMatchObject({ state: 'pending' });
    await read(3);
    expect((await scene.ask(ada, 'GET', '/import')).import).toMatchObject({ state: 'failed', done: 0 });
    expect(await imported(scene, ada, 'mutes', 'bob')).toMatchObject({ state: 'done', present: 1 });
  });
});
