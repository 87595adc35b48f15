import { describe, expect, it } from 'vitest';
import { social } from '../../../../src/contract/social.ts';
import type { Operation } from '../../../../src/contract/operation.ts';
import { engines } from '../../../support/stores.ts';
import { openSocial } from '../scene.ts';

/** Elements and their attributes in HTML; throws for anything that is no link or line break of ours. */
function elementsOf(html: string): string[] {
  const elements = html.match(/<[^>]*>?/g) ?? [];
  const ours =
    /^(?:<a href="(?:\/social\/(?:hashtag|users)\/[^"<>]*"|https?:\/\/[^"<>\s]*" rel="nofollow noopener noreferrer ugc")>|<\/a>|<br>)$/;
  for (const element of elements) if (!ours.test(element)) throw new Error(`${element} in ${html}`);
  return elements;
}

describe.each(engines)('check 21, rendering on %s', (engine) => {
  it('has no markup but its own links, whatever the text is', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const hostile = [
      '#<img src=x onerror=alert(1)>',
      '#tea<script>alert(1)</script>',
      '@ada"><svg onload=alert(1)>',
      'javascript:alert(1) and http://javascript:alert(1)',
      'https://example.org/"onmouseover="alert(1)',
      "https://example.org/'><b>",
      'http://exa\u202emple.org \u2066@ada\u2069 #\u202etea',
      'data:text/html,<script>alert(1)</script>',
      '&lt;script&gt; &#60;b&#62;',
      'https://user:password@example.org',
      '<a href="https://example.org" onclick="x">@ada #tea</a>',
      'line\nline <br onload=x>',
    ];
    for (const content of hostile) {
      const id = await scene.post(ada, content);
      const post = await scene.ask(ada, 'GET', `/posts/${id}`);
      expect(post.content).toBe(content);
      elementsOf(post.formattedContent as string);
      expect(post.formattedContent).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    }
    const linked = await scene.ask(ada, 'POST', '/posts', { content: 'Hi @ada, #tea: https://example.org/?a=1&b=2' });
    expect(elementsOf(linked.formattedContent as string)).toHaveLength(6);
    expect(linked.formattedContent).toContain('href="https://example.org/?a=1&amp;b=2"');
  });
});

describe.each(engines)('check 27, caching on %s', (engine) => {
  it('is forbidden for whatever depends on who asks, and refusals do not differ', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    await scene.protect(ada);
    const id = await scene.post(ada, 'Hidden');
    const open = await scene.post(bob, 'Open');
    const reading = Object.values<Operation>(social).filter((op) => op.method === 'GET' && op.form !== 'raw');
    expect(reading.length).toBeGreaterThan(10);
    for (const { path } of reading) {
      const real = path
        .replace('/posts/:id', `/posts/${open}`)
        .replace('/users/:id', '/users/bob')
        .replace(':tag', 'tea');
      const { headers } = await scene.house.api('GET', real, { token: ada.token });
      expect([path, headers.get('cache-control')]).toEqual([path, expect.stringContaining('no-store')]);
      expect([path, headers.get('etag')]).toEqual([path, null]);
    }
    const told = async (path: string) => {
      const { status, body, headers } = await scene.call(bob, 'GET', path);
      const rest = [...headers].filter(([name]) => name !== 'x-request-id' && !name.startsWith('ratelimit'));
      return [status, body, rest];
    };
    for (const path of ['', '/thread'])
      expect(await told(`/posts/${id}${path}`)).toEqual(await told(`/posts/${'f'.repeat(32)}${path}`));
  });
});
