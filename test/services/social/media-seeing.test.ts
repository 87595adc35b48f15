import { describe, expect, it } from 'vitest';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { encoded, gif, oriented, pixelsOf } from '../filevault/pictures.ts';
import { mp4, track } from '../../shared/attachments/media-files.ts';
import { openSocial, said, type SocialScene } from './scene.ts';

const picture = gif(16, 16, (x) => x > 8);

const upload = async ({ house }: SocialScene, who: HouseMember, file = picture, query = '') => {
  const answer = await house.api('POST', `/api/social/media${query}`, {
    token: who.token,
    rawBody: new Uint8Array(file),
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(file.length) },
  });
  return answer.body.data;
};

const status = async ({ house }: SocialScene, who: HouseMember, url: string) =>
  (await house.fetch(new Request(`http://house.test${url}`, { headers: { authorization: `Bearer ${who.token}` } })))
    .status;

describe.each(engines)('media of posts, on %s', (engine) => {
  it('are seen by those who see a post with them, from moment to moment', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const [author, follower, stranger, blocker] = [
      await house.register({ username: 'author' }),
      await house.register({ username: 'follower' }),
      await house.register({ username: 'stranger' }),
      await house.register({ username: 'blocker' }),
    ];
    const made = await upload(
      scene,
      author,
      oriented(encoded(pixelsOf(32, 16, () => [9, 9, 9, 255])).jpeg, 1),
      '?altText=One&sensitive=true',
    );
    const seenBy = async () => {
      const found = [];
      for (const who of [author, follower, stranger, blocker]) found.push(await status(scene, who, made.url));
      return found;
    };
    expect(await seenBy()).toEqual([200, 404, 404, 404]);
    const { _id: id, ...written } = await scene.ask(author, 'POST', '/posts', {
      content: 'Look',
      mediaAttachments: [made],
    });
    const { expiresAt: _, ...attachment } = made;
    expect(written).toMatchObject({ mediaAttachments: [attachment], isSensitive: true });
    expect(await seenBy()).toEqual([200, 200, 200, 200]);
    await scene.follow(follower, author);
    await scene.ask(blocker, 'POST', `/users/${author.memberId}/block`, {});
    expect(await seenBy()).toEqual([200, 200, 200, 404]);
    await scene.protect(author);
    expect(await seenBy()).toEqual([200, 200, 404, 404]);
    expect((await scene.ask(follower, 'POST', `/posts/${id}/repost`, {})).quotedPost.mediaAttachments).toEqual([
      attachment,
    ]);
    expect(await seenBy()).toEqual([200, 200, 404, 404]);
    const { posts } = await scene.ask(follower, 'GET', `/timeline/home?userId=${follower.memberId}`);
    for (const one of posts) expect((one.quotedPost ?? one).mediaAttachments).toEqual([attachment]);
    expect(posts.length).toBeGreaterThan(0);
    await scene.ask(author, 'DELETE', `/posts/${id}`);
    expect(await seenBy()).toEqual([404, 404, 404, 404]);
    expect(await house.ctx.db.selectFrom('social_media').selectAll().execute()).toEqual([]);
    expect(await house.ctx.db.selectFrom('member_storage').select('bytes').execute()).toEqual([{ bytes: 0 }]);
  });

  it('are own uploads, and a post that is refused leaves them as they were', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob] = [await scene.house.register(), await scene.house.register()];
    const [own, foreign] = [await upload(scene, ada), await upload(scene, bob)];
    const write = async (mediaAttachments: object[], content = 'Look') =>
      said(await scene.call(ada, 'POST', '/posts', { content, mediaAttachments }));
    for (const [wanted, code] of [
      [[own, foreign], '400 INVALID_MEDIA'],
      [[own, { _id: 'f'.repeat(32) }], '400 INVALID_MEDIA'],
      [[own, own], '400 INVALID_MEDIA'],
      [[own, own, own, own, own], '400 TOO_MANY_ATTACHMENTS'],
      [[{ _id: 'x' }], '400 VALIDATION_ERROR'],
      [[{ url: foreign.url }], '400 INVALID_MEDIA'],
      [[{ url: `https://other.example${own.url}` }], '400 VALIDATION_ERROR'],
      [[{ altText: 'Of nothing' }], '400 VALIDATION_ERROR'],
    ] as const)
      expect(await write([...wanted])).toBe(code);
    expect(await write([own], 'x'.repeat(281))).toBe('400 POST_TOO_LONG');
    expect(await write([own])).toBe('201 success');
    const found = async (kind: string) => (await scene.ask(bob, 'GET', `/search?q=has:${kind}`)).posts.length;
    expect([await found('image'), await found('video')]).toEqual([1, 0]);
    expect(await write([own])).toBe('400 INVALID_MEDIA');
    // As documents of the interface have them: without an id, and described where they are attached.
    const { _id: id, ...documented } = await upload(scene, ada);
    const mediaAttachments = [
      { ...documented, altText: 'A cup' },
      { ...(await upload(scene, ada)), altText: '' },
    ];
    const post = await scene.ask(ada, 'POST', '/posts', { content: 'Look', mediaAttachments });
    expect(post.mediaAttachments).toMatchObject([{ _id: id, altText: 'A cup' }, { altText: '' }]);
    expect((await scene.ask(bob, 'GET', `/posts/${post['_id']}`)).mediaAttachments).toEqual(post.mediaAttachments);
  });

  it('are pictures of profiles for those who see the profile', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob] = [await scene.house.register(), await scene.house.register()];
    const [face, header, video] = [
      await upload(scene, ada),
      await upload(scene, ada),
      await upload(scene, ada, mp4(track('vide', 64, 48))),
    ];
    const update = async (change: object) => await scene.call(ada, 'PUT', `/users/${ada.memberId}`, change);
    for (const wrong of [video, await upload(scene, bob)])
      expect(said(await update({ profilePictureId: wrong['_id'] }))).toBe('400 INVALID_MEDIA');
    expect((await update({ profilePictureId: face['_id'], headerImageId: header['_id'] })).body.data).toMatchObject({
      profilePictureUrl: face.url,
      headerImageUrl: header.url,
    });
    expect((await scene.ask(bob, 'GET', `/users/${ada.memberId}`)).profilePictureUrl).toBe(face.url);
    expect([await status(scene, bob, face.url), await status(scene, bob, header.url)]).toEqual([200, 200]);
    await scene.ask(ada, 'POST', `/users/${bob.memberId}/block`, {});
    expect([await status(scene, bob, face.url), await status(scene, bob, header.url)]).toEqual([404, 404]);
    await scene.ask(ada, 'DELETE', `/users/${bob.memberId}/block`);
    expect((await update({ profilePictureId: null })).body.data.profilePictureUrl).toBeUndefined();
    expect([await status(scene, bob, face.url), await status(scene, bob, header.url)]).toEqual([404, 200]);
    expect(await status(scene, ada, face.url)).toBe(404);
  });
});
