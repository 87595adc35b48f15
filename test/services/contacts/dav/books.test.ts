import { describe, expect, it } from 'vitest';
import { books } from '../../../../src/contract/contacts/books.ts';
import { cards } from '../../../../src/contract/contacts/cards.ts';
import { bothEngines } from '../../../support/stores.ts';
import { depth, document, openDav, prop, propfindBody, syncBody, type DavScene } from '../../../http/dav/dav-scene.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';

const home = ({ memberId }: HouseMember) => `/dav/contacts/${memberId}/`;

function cardText(uid: string, name: string, ...lines: string[]): string {
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    'X-EXAMPLE:kept',
    `UID:${uid}`,
    `FN:${name}`,
    `N:${name};;;;`,
    ...lines,
    'END:VCARD',
    '',
  ].join('\r\n');
}

/** The default book of a member. */
async function bookOf(scene: DavScene, who: HouseMember): Promise<{ id: string; path: string }> {
  const { books: all } = await scene.done(books.listBooks, who, {});
  const id = all.find(({ isDefault }) => isDefault)?.id ?? '';
  return { id, path: `${home(who)}${id}/` };
}

const put = async (
  scene: DavScene,
  who: HouseMember,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers = {},
) => {
  const {
    status,
    preconditions,
    headers: sent,
  } = await scene.dav(who, 'PUT', path, {
    headers: { 'content-type': 'text/vcard; charset=utf-8', ...headers },
    body,
  });
  return { status, preconditions, etag: sent.get('etag') };
};

async function sync(scene: DavScene, who: HouseMember, path: string, token?: string) {
  const answer = await scene.dav(who, 'REPORT', path, { headers: depth('0'), body: syncBody(token) });
  const names = [...answer.responses].map(([href, { status }]) =>
    `${status ?? ''} ${href.slice(path.length).replace('.vcf', '')}`.trim(),
  );
  return { status: answer.status, names, token: answer.syncToken ?? '', preconditions: answer.preconditions };
}

describe.each(bothEngines)('contacts of programs on %s', (engine) => {
  it('lie in own books, and in that of the members whom one knows, which nobody changes', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { path } = await bookOf(scene, ann);
    const answer = await scene.dav(ann, 'PROPFIND', home(ann), {
      headers: depth('1'),
      body: propfindBody('d:displayname', 'd:resourcetype', 'd:current-user-privilege-set'),
    });
    const members = `${home(ann)}members/`;
    expect([...answer.responses.keys()]).toEqual([home(ann), path, members]);
    expect(answer.responses.get(members)?.found).toEqual({
      'd:displayname': 'Members',
      'd:resourcetype': 'd:collection card:addressbook',
      'd:current-user-privilege-set': 'd:read d:read-current-user-privilege-set',
    });
    expect(answer.responses.get(path)?.found['d:current-user-privilege-set']).toContain(
      'd:write-content d:bind d:unbind',
    );
    expect((await put(scene, ann, `${members}a.vcf`, cardText('a', 'A'))).status).toBe(403);
    expect((await scene.dav(ann, 'DELETE', members)).status).toBe(403);
    const renamed = document('d:propertyupdate', '<d:set><d:prop><d:displayname>X</d:displayname></d:prop></d:set>');
    expect((await scene.dav(ann, 'PROPPATCH', members, { body: renamed })).responses.get(members)?.missing).toEqual({
      403: ['d:displayname'],
    });
  });

  it('show the members whom one knows, as long as one does', async () => {
    await using scene = await openDav(engine);
    const { ann, bob } = scene;
    const members = `${home(ann)}members/`;
    const empty = await sync(scene, ann, members);
    expect(empty).toMatchObject({ status: 207, names: [] });
    expect((await sync(scene, ann, members, empty.token)).names).toEqual([]);
    await scene.house.api('POST', `/api/social/users/${bob.memberId}/follow`, { token: ann.token });
    // It has no history: whoever has another state of it begins anew.
    expect(await sync(scene, ann, members, empty.token)).toMatchObject({
      status: 403,
      preconditions: ['d:valid-sync-token'],
    });
    expect((await sync(scene, ann, members)).names).toEqual([bob.memberId]);
    const card = await scene.dav(ann, 'GET', `${members}${bob.memberId}.vcf`);
    expect([card.status, card.headers.get('content-type')]).toEqual([200, 'text/vcard; charset=utf-8']);
    expect(card.text).toContain('FN:bob\r\n');
    expect(card.text).not.toContain(bob.email);
    expect((await scene.dav(ann, 'GET', `${members}${scene.cleo.memberId}.vcf`)).status).toBe(404);
    await scene.block(bob, ann);
    expect((await sync(scene, ann, members)).names).toEqual([]);
    expect((await scene.dav(ann, 'GET', `${members}${bob.memberId}.vcf`)).status).toBe(404);
  });

  it('are kept octet for octet, change under conditions, and are the same for the API', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { id: bookId, path } = await bookOf(scene, ann);
    const at = `${path}grace.vcf`;
    const text = cardText('g@x', 'Grace', 'item1.EMAIL;TYPE=work:grace@x.test', 'item1.X-ABLabel:Lab');
    const first = await put(scene, ann, at, text, { 'if-none-match': '*' });
    expect(first).toMatchObject({ status: 201, etag: expect.stringMatching(/^"[0-9a-f]{32}"$/) });
    expect((await scene.dav(ann, 'GET', at)).text).toBe(text);
    const { cards: all } = await scene.done(cards.listCards, ann, { bookId });
    expect(all).toMatchObject([{ displayName: 'Grace', etag: first.etag?.slice(1, -1) }]);
    expect((await put(scene, ann, at, text, { 'if-none-match': '*' })).status).toBe(412);
    const second = await put(scene, ann, at, text.replace('FN:Grace', 'FN:Grace H.'), { 'if-match': first.etag ?? '' });
    expect([second.status, second.etag === first.etag]).toEqual([204, false]);
    expect((await put(scene, ann, at, text, { 'if-match': first.etag ?? '' })).status).toBe(412);
    expect((await scene.dav(ann, 'DELETE', at, { headers: { 'if-match': first.etag ?? '' } })).status).toBe(412);
    const input = { bookId, cardId: all[0]?.id ?? '', displayName: 'Admiral' };
    const { card } = await scene.done(cards.updateCard, ann, input);
    const read = await scene.dav(ann, 'GET', at);
    expect(read.headers.get('etag')).toBe(`"${card.etag}"`);
    expect(read.text).toContain('item1.X-ABLabel:Lab\r\n');
    expect((await scene.dav(ann, 'DELETE', at)).status).toBe(204);
    expect((await scene.done(cards.listCards, ann, { bookId })).cards).toEqual([]);
  });

  it('have a UID that is in a book once, and get one without', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { path } = await bookOf(scene, ann);
    await put(scene, ann, `${path}a.vcf`, cardText('one', 'A'));
    const twice = await put(scene, ann, `${path}b.vcf`, cardText('one', 'B'));
    expect(twice).toMatchObject({ status: 409, preconditions: ['card:no-uid-conflict'] });
    const without = await put(scene, ann, `${path}c.vcf`, cardText('x', 'C').replace('UID:x\r\n', ''));
    // It is not what was sent, so a program reads it.
    expect(without).toMatchObject({ status: 201, etag: null });
    expect((await scene.dav(ann, 'GET', `${path}c.vcf`)).text).toMatch(/UID:urn:uuid:/);
  });

  it('are refused when they are none, and nothing is changed', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { id: bookId, path } = await bookOf(scene, ann);
    const good = cardText('a', 'A');
    const cases: readonly (readonly [string | Uint8Array<ArrayBuffer>, number, string])[] = [
      ['', 403, 'card:valid-address-data'],
      ['hello', 403, 'card:valid-address-data'],
      [good + cardText('b', 'B'), 403, 'card:valid-address-data'],
      [good.replace('VERSION:3.0', 'VERSION:2.1'), 403, 'card:supported-address-data'],
      [good.replace('VERSION:3.0', 'VERSION:5.0'), 403, 'card:valid-address-data'],
      [good.replace(/FN:A\r\nN:A;;;;\r\n/, ''), 403, 'card:valid-address-data'],
      [new Uint8Array(Buffer.from(good.replace('FN:A', 'FN:Ä'), 'latin1')), 403, 'card:valid-address-data'],
      [good.replace('END', `NOTE:${'a'.repeat(1024 ** 2)}\r\nEND`), 413, 'card:max-resource-size'],
    ];
    for (const [body, status, precondition] of cases) {
      const answer = await put(scene, ann, `${path}a.vcf`, body);
      expect([answer.status, answer.preconditions]).toEqual([status, [precondition]]);
    }
    expect((await scene.done(cards.listCards, ann, { bookId })).cards).toEqual([]);
  });

  it('are synchronised, also in parts, and begin anew after 90 days', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { path } = await bookOf(scene, ann);
    for (const name of ['a', 'b', 'c']) await put(scene, ann, `${path}${name}.vcf`, cardText(name, name));
    const first = await sync(scene, ann, path);
    expect(first.names).toEqual(['a', 'b', 'c']);
    await scene.dav(ann, 'DELETE', `${path}a.vcf`);
    await put(scene, ann, `${path}b.vcf`, cardText('b', 'Other'));
    expect((await sync(scene, ann, path, first.token)).names).toEqual(['404 a', 'b']);
    await put(scene, ann, `${path}a.vcf`, cardText('a', 'Again'));
    expect((await sync(scene, ann, path, first.token)).names).toEqual(['b', 'a']);
    expect((await sync(scene, ann, path, 'urn:x')).preconditions).toEqual(['d:valid-sync-token']);
    const limit = `${prop('d:getetag')}<d:limit><d:nresults>1</d:nresults></d:limit>`;
    const part = await scene.dav(ann, 'REPORT', path, { body: syncBody(first.token, limit) });
    expect([...part.responses.values()].map(({ status }) => status)).toEqual([undefined, 507]);
    expect((await sync(scene, ann, path, part.syncToken)).names).toEqual(['a']);
  });

  it('are found by their properties, and read by their addresses', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { path } = await bookOf(scene, ann);
    await put(scene, ann, `${path}a.vcf`, cardText('a', 'Ada Lovelace', 'EMAIL;TYPE=HOME:ada@x.test'));
    await put(scene, ann, `${path}g.vcf`, cardText('g', 'Grace Hopper', 'NOTE:Likes a\\, b'));
    const filtered = (filter: string, more = '') =>
      document(
        'card:addressbook-query',
        `${prop('d:getetag', 'card:address-data')}<card:filter ${filter}</card:filter>${more}`,
      );
    const match = (value: string, attributes = '') => `<card:text-match ${attributes}>${value}</card:text-match>`;
    const having = (name: string, inner = '') => `<card:prop-filter name="${name}">${inner}</card:prop-filter>`;
    const found = async (body: string) => {
      const answer = await scene.dav(ann, 'REPORT', path, { headers: depth('1'), body });
      return [...answer.responses].map(([href, { status }]) => `${status ?? ''}${href.slice(path.length)}`);
    };
    expect(await found(filtered(`>${having('FN', match('LOVE'))}`))).toEqual(['a.vcf']);
    expect(await found(filtered(`>${having('FN', match('grace', 'match-type="starts-with"'))}`))).toEqual(['g.vcf']);
    expect(await found(filtered(`>${having('FN', match('grace', 'match-type="equals"'))}`))).toEqual([]);
    expect(await found(filtered(`>${having('FN', match('hopper', 'match-type="ends-with"'))}`))).toEqual(['g.vcf']);
    expect(await found(filtered(`>${having('NOTE', match('a, b'))}`))).toEqual(['g.vcf']);
    const two = having('EMAIL') + having('FN', match('grace'));
    expect(await found(filtered(` test="anyof">${two}`))).toEqual(['a.vcf', 'g.vcf']);
    expect(await found(filtered(` test="allof">${two}`))).toEqual([]);
    const param = `<card:param-filter name="TYPE">${match('home')}</card:param-filter>`;
    expect(await found(filtered(`>${having('EMAIL', param)}`))).toEqual(['a.vcf']);
    expect(await found(filtered(`>${having('EMAIL', '<card:is-not-defined/>')}`))).toEqual(['g.vcf']);
    expect(await found(document('card:addressbook-query', prop('d:getetag')))).toEqual(['a.vcf', 'g.vcf']);
    const limit = '<card:limit><card:nresults>1</card:nresults></card:limit>';
    expect(await found(filtered(`>${having('FN')}`, limit))).toEqual(['a.vcf', '507']);
    const hrefs = [`${path}a.vcf`, `${path}none.vcf`].map((href) => `<d:href>${href}</d:href>`).join('');
    expect(await found(document('card:addressbook-multiget', prop('card:address-data') + hrefs))).toEqual([
      'a.vcf',
      '404none.vcf',
    ]);
  });

  it('give the properties alone that are wanted, as they are written', async () => {
    await using scene = await openDav(engine);
    const { ann, bob } = scene;
    const { path } = await bookOf(scene, ann);
    const long = `NOTE;X-A="b:c":${'Much to say. '.repeat(10)}`.replace(/.{70}/, '$&\r\n ');
    const lines = ['item1.EMAIL;TYPE=HOME:ada@x.test', 'item1.X-ABLabel:Other', 'item2.EMAIL:two@x.test', long];
    await put(scene, ann, `${path}a.vcf`, cardText('a', 'Ada Lovelace', ...lines));
    const multiget = (data: string, at = `${path}a.vcf`) =>
      document('card:addressbook-multiget', `<d:prop>${data}</d:prop><d:href>${at}</d:href>`);
    const query = (data: string) => document('card:addressbook-query', `<d:prop>${data}</d:prop><card:filter/>`);
    const card = (...all: string[]) => ['BEGIN:VCARD', 'VERSION:3.0', ...all, 'END:VCARD', ''].join('\r\n');
    const data = (inner: string) => `<card:address-data>${inner}</card:address-data>`;
    const given = async (body: string, at = path) => {
      const { responses } = await scene.dav(ann, 'REPORT', at, { headers: depth('1'), body });
      return [...responses.values()].map(({ found }) => found['card:address-data']);
    };
    const some = data('<card:prop name="fn"/><card:prop name="EMAIL"/>');
    const wanted = card('FN:Ada Lovelace', lines[0]!, lines[2]!);
    expect([await given(multiget(some)), await given(query(some))]).toEqual([[wanted], [wanted]]);
    expect(await given(multiget(data('<card:prop name="ITEM1.EMAIL"/>')))).toEqual([card(lines[0]!)]);
    const empty = data('<card:prop name="NOTE" novalue="yes"/>');
    expect(await given(multiget(empty))).toEqual([card('NOTE;X-A="b:c":')]);
    const whole = cardText('a', 'Ada Lovelace', ...lines);
    expect(await given(multiget(data('<card:allprop/>')))).toEqual([whole]);
    expect(await given(multiget(data('')))).toEqual([whole]);
    // Contacts that are put together have the same.
    await scene.house.api('POST', `/api/social/users/${bob.memberId}/follow`, { token: ann.token });
    const members = `${home(ann)}members/`;
    const named = multiget(data('<card:prop name="FN"/>'), `${members}${bob.memberId}.vcf`);
    expect(await given(named, members)).toEqual([card('FN:bob')]);
  });

  it('are moved and copied among own books, and copied out of that of members', async () => {
    await using scene = await openDav(engine);
    const { ann, bob } = scene;
    const { path } = await bookOf(scene, ann);
    const other = `${home(ann)}other/`;
    await scene.dav(ann, 'MKCOL', other);
    const text = cardText('u@x', 'Uma');
    await put(scene, ann, `${path}u.vcf`, text);
    await put(scene, ann, `${other}v.vcf`, cardText('v@x', 'Vera'));
    const transfer = async (method: string, from: string, to: string, headers = {}) => {
      const { status, preconditions } = await scene.dav(ann, method, from, {
        headers: { destination: to, ...headers },
      });
      return [status, ...preconditions];
    };
    expect(await transfer('COPY', `${path}u.vcf`, `${path}w.vcf`)).toEqual([409, 'card:no-uid-conflict']);
    expect(await transfer('MOVE', `${path}u.vcf`, `${other}v.vcf`, { overwrite: 'F' })).toEqual([412]);
    expect(await transfer('MOVE', `${path}u.vcf`, `${other}w.vcf`, { 'if-match': '"stale"' })).toEqual([412]);
    expect(await transfer('MOVE', `${path}none.vcf`, `${other}w.vcf`)).toEqual([404]);
    expect((await scene.dav(ann, 'GET', `${path}u.vcf`)).text).toBe(text);
    expect(await transfer('MOVE', `${path}u.vcf`, `${path}w.vcf`)).toEqual([201]);
    expect(await transfer('COPY', `${path}w.vcf`, `${other}w.vcf`)).toEqual([201]);
    expect(await transfer('MOVE', `${path}w.vcf`, `${other}w.vcf`)).toEqual([204]);
    expect(await transfer('MOVE', `${other}w.vcf`, `${other}v.vcf`)).toEqual([204]);
    const texts = await Promise.all(
      [`${path}w.vcf`, `${other}w.vcf`, `${other}v.vcf`].map(async (one) => {
        const answer = await scene.dav(ann, 'GET', one);
        return answer.status === 200 ? answer.text : answer.status;
      }),
    );
    expect(texts).toEqual([404, 404, text]);

    await scene.house.api('POST', `/api/social/users/${bob.memberId}/follow`, { token: ann.token });
    const members = `${home(ann)}members/`;
    const of = `${members}${bob.memberId}.vcf`;
    expect(await transfer('MOVE', of, `${other}bob.vcf`)).toEqual([403]);
    expect(await transfer('COPY', `${other}v.vcf`, `${members}x.vcf`)).toEqual([403]);
    expect(await transfer('COPY', of, `${other}bob.vcf`)).toEqual([201]);
    expect((await scene.dav(ann, 'GET', `${other}bob.vcf`)).text).toBe((await scene.dav(ann, 'GET', of)).text);
  });

  it('of others are nowhere', async () => {
    await using scene = await openDav(engine);
    const { ann, bob } = scene;
    const { id, path } = await bookOf(scene, ann);
    await put(scene, ann, `${path}a.vcf`, cardText('a', 'A'));
    for (const trick of [path, `${path}a.vcf`, `${home(bob)}${id}/`, `${home(bob)}${id}/a.vcf`])
      for (const method of ['PROPFIND', 'GET', 'DELETE']) {
        const { status } = await scene.dav(bob, method, trick, { headers: depth('0') });
        expect([method, trick, status]).toEqual([method, trick, 404]);
      }
    expect((await scene.dav(ann, 'GET', `${path}a.vcf`)).status).toBe(200);
  });

  it('lie in books that programs make and delete', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const path = `${home(ann)}friends/`;
    const types = '<d:resourcetype><d:collection/><card:addressbook/></d:resourcetype>';
    const body = document('d:mkcol', `<d:set><d:prop>${types}<d:displayname>Friends</d:displayname></d:prop></d:set>`);
    expect((await scene.dav(ann, 'MKCOL', path, { body })).status).toBe(201);
    expect((await put(scene, ann, `${path}a.vcf`, cardText('a', 'A'))).status).toBe(201);
    const { books: all } = await scene.done(books.listBooks, ann, {});
    expect(all.map(({ displayName, cardCount }) => [displayName, cardCount])).toContainEqual(['Friends', 1]);
    const calendar = document(
      'd:mkcol',
      '<d:set><d:prop><d:resourcetype><d:collection/><c:calendar/></d:resourcetype></d:prop></d:set>',
    );
    expect((await scene.dav(ann, 'MKCOL', `${home(ann)}b/`, { body: calendar })).preconditions).toEqual([
      'd:valid-resourcetype',
    ]);
    expect((await scene.dav(ann, 'DELETE', path)).status).toBe(204);
    expect((await scene.dav(ann, 'GET', `${path}a.vcf`)).status).toBe(404);
    const { path: standard } = await bookOf(scene, ann);
    expect((await scene.dav(ann, 'DELETE', standard)).status).toBe(409);
  });
});
