import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import type { Scope } from '../../../src/contract/scopes.ts';
import { accounts } from '../../../src/contract/accounts.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { openSocial, type SocialScene } from './scene.ts';

const config = { social: { rss: true, publicUrl: 'https://home.example' } };

async function rss(scene: SocialScene, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return await scene.house.fetch(new Request(`http://house.test/api/social${path}/feed.rss`, { headers }));
}

async function titles(scene: SocialScene, path: string): Promise<string[]> {
  const answer = await rss(scene, path);
  expect(answer.status).toBe(200);
  const items = (await answer.text()).split('<item>').slice(1);
  return items.map((item) => /<title>(.*?)<\/title>/s.exec(item)?.[1] ?? '');
}

/** @throws Error for XML that is not well-formed */
function assertWellFormed(xml: string): void {
  const parser = new SaxesParser({ xmlns: true });
  parser.write(xml).close();
}

describe.each(engines)('RSS on %s', (engine) => {
  it('is for everybody only if the node wants it', async () => {
    await using scene = await openSocial(engine);
    await scene.house.register({ username: 'ada' });
    for (const path of ['/users/ada', '/users/nobody', '/hashtag/tea']) {
      const answer = await rss(scene, path);
      expect([answer.status, ((await answer.json()) as { error: { reason: string } }).error.reason]).toEqual([
        404,
        'FEED_NOT_FOUND',
      ]);
    }
  });

  it('has public posts and quotes as valid XML, with an ETag and for shared caches', async () => {
    await using scene = await openSocial(engine, { config });
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const one = await scene.post(
      ada,
      `<script>alert("1")</script> & ]]> \ufffe #Tea https://example.org/?a=1&b=2 @bob`,
    );
    await scene.post(ada, 'Secret', { contentWarning: 'Careful "now"' });
    await scene.post(ada, 'A reply', { parentPostId: one });
    await scene.ask(bob, 'POST', `/posts/${one}/repost`);
    const quote = await scene.ask(bob, 'POST', `/posts/${one}/quote`, { commentary: 'See #tea' });
    const answer = await rss(scene, '/users/ada');
    expect(answer.headers.get('content-type')).toBe('application/rss+xml; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    const xml = await answer.text();
    assertWellFormed(xml);
    const self = `https://home.example/api/social/users/${ada.memberId}/feed.rss`;
    expect(xml).toContain(`<atom:link href="${self}" rel="self" type="application/rss+xml"/>`);
    expect(xml).toContain('&lt;a href=&quot;https://example.org/?a=1&amp;amp;b=2&quot;');
    expect(xml).toContain('&amp;lt;script&amp;gt;');
    expect(xml).not.toMatch(/Secret|A reply|@example\.org/);
    expect(await titles(scene, '/users/ada')).toHaveLength(2);
    expect(await titles(scene, '/users/bob')).toEqual(['See #tea']);
    expect(await titles(scene, '/hashtag/TEA')).toHaveLength(2);
    expect(await titles(scene, '/hashtag/none')).toEqual([]);
    const etag = answer.headers.get('etag') as string;
    expect((await rss(scene, '/users/ada', { 'if-none-match': etag })).status).toBe(304);
    await scene.post(ada, 'New');
    expect((await rss(scene, '/users/ada', { 'if-none-match': etag })).status).toBe(200);
    await scene.ask(ada, 'DELETE', `/posts/${one}`);
    expect((await (await rss(scene, '/users/bob')).text()).includes('blockquote')).toBe(false);
    expect(quote.postType).toBe('quote');
  });

  it('has nothing of members who are protected or suspended, and nothing for followers', async () => {
    await using scene = await openSocial(engine, { config });
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const chief = await scene.house.administrator();
    const id = await scene.post(ada, 'Before #tea');
    await scene.ask(bob, 'POST', `/posts/${id}/quote`, { commentary: 'Look' });
    await scene.protect(ada);
    await scene.post(ada, 'For followers #tea');
    expect((await rss(scene, '/users/ada')).status).toBe(404);
    expect(await titles(scene, '/hashtag/tea')).toEqual([]);
    expect(await (await rss(scene, '/users/bob')).text()).not.toContain('Before');
    await scene.ask(ada, 'PUT', '/users/ada', { isProtected: false });
    expect(await titles(scene, '/hashtag/tea')).toEqual(['Before #tea']);
    await scene.house.api('POST', `/api/admin/members/${ada.memberId}/suspend`, { token: chief.token });
    expect((await rss(scene, '/users/ada')).status).toBe(404);
    expect(await titles(scene, '/hashtag/tea')).toEqual([]);
  });

  it('of a hub is for its members, with an app password for feeds, and of encrypted hubs for nobody', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob] = [
      await scene.house.register({ username: 'ada' }),
      await scene.house.register({ username: 'bob' }),
    ];
    const hub = async (more: object) => {
      scene.house.clock.advance(1);
      return (await scene.ask(ada, 'POST', '/hubs', { name: 'Tea & more', ...more }))['_id'] as string;
    };
    const open = await hub({ slug: 'tea' });
    const sealed = await hub({ trustTier: 'encrypted' });
    const of = async (who: HouseMember, id: string, scopes: Scope[] = ['feeds']) => {
      const { body } = await scene.house.perform(accounts.createAppPassword, { name: 'Reader', scopes }, who.token);
      const authorization = `Basic ${Buffer.from(`${who.username}:${body.password}`).toString('base64')}`;
      return await rss(scene, `/hubs/${id}`, { authorization });
    };
    const refused = async (answer: Response) => [
      answer.status,
      ((await answer.json()) as { error: { reason: string } }).error.reason,
    ];
    await scene.ask(bob, 'POST', `/hubs/${open}/join`, {});
    await scene.ask(bob, 'POST', `/hubs/${sealed}/join`, {});
    await scene.post(ada, 'In the hub', { hubIds: [open] });
    await scene.post(ada, 'Sealed', { hubIds: [sealed] });
    await scene.post(ada, 'For all');
    const answer = await of(bob, 'tea');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    const xml = await answer.text();
    assertWellFormed(xml);
    expect(xml.match(/<title>.*?<\/title>/g)).toEqual(['<title>Tea &amp; more</title>', '<title>In the hub</title>']);
    expect(await refused(await rss(scene, '/hubs/tea'))).toEqual([401, 'UNAUTHORIZED']);
    expect(await refused(await of(bob, 'tea', ['mail']))).toEqual([403, 'INSUFFICIENT_SCOPE']);
    for (const id of [sealed, 'nothing', 'f'.repeat(32)])
      expect(await refused(await of(bob, id))).toEqual([404, 'FEED_NOT_FOUND']);
    // The author blocks the reader.
    await scene.ask(ada, 'POST', '/users/bob/block', {});
    expect(await (await of(bob, open)).text()).not.toContain('<item>');
    await scene.ask(ada, 'DELETE', '/users/bob/block', {});
    await scene.ask(ada, 'POST', `/hubs/${open}/ban`, { userId: bob.memberId });
    expect(await refused(await of(bob, open))).toEqual([404, 'FEED_NOT_FOUND']);
    await scene.ask(ada, 'DELETE', `/hubs/${open}`, {});
    expect(await refused(await of(ada, 'tea'))).toEqual([404, 'FEED_NOT_FOUND']);
  });
});
