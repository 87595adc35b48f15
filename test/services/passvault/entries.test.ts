import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inStage, runs } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said } from './scene.ts';

describe.each(engines)('entries on %s', (engine) => {
  it('keep what each type has', async () => {
    await using scene = await openScene(engine);
    const login = {
      type: 'login',
      title: 'Mail',
      username: 'alice',
      password: 'p4ss',
      siteUrl: 'https://mail.example',
      totpSecret: 'GEZDGNBVGY3TQOJQ',
      urls: [{ uri: 'https://login.example', match: 'host' }],
      notes: 'line one\r\nline two\ttab',
      customFields: [{ name: 'PIN', value: ' 007 ', hidden: true }],
      passwordHistory: [{ password: 'older', changedAt: '2020-01-01T00:00:00.000Z' }],
      tags: ['mail', 'private'],
      favorite: true,
    };
    const card = {
      type: 'credit_card',
      title: 'Visa',
      cardholderName: 'Alice A.',
      cardNumber: '4111 1111 1111 1111',
      expirationDate: '3/29',
      cvv: '007',
      tags: ['money'],
    };
    const note = { type: 'secure_note', title: 'Note', content: '  spaces stay  \r\r\n', archived: true };
    for (const [made, expected] of [
      [login, { ...login, archived: false }],
      [card, { ...card, expirationDate: '03/2029', favorite: false, archived: false }],
      [note, { ...note, tags: [], favorite: false }],
    ] as const) {
      const { entry } = await scene.in('POST', '/entries', made);
      expect(entry).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        type: made.type,
        title: made.title,
        createdAt: '2026-01-15T12:00:00.000Z',
        updatedAt: '2026-01-15T12:00:00.000Z',
        version: 1,
      });
      const answer = await scene.call('GET', `/vaults/${scene.vaultId}/entries/${entry.id}`);
      expect(answer.headers.get('etag')).toBe('"1"');
      const { createdAt, updatedAt } = entry;
      expect(answer.body.data.entry).toEqual({
        ...expected,
        id: entry.id,
        vaultId: scene.vaultId,
        attachments: [],
        version: 1,
        createdAt,
        updatedAt,
      });
    }
    const { entries } = await scene.in('GET', '/entries');
    expect(entries[0]).toEqual({
      id: expect.any(String),
      entryType: 'login',
      title: 'Mail',
      tags: ['mail', 'private'],
      favorite: true,
      siteUrl: 'https://mail.example',
      username: 'alice',
      archived: false,
      hasTotp: true,
      createdAt: '2026-01-15T12:00:00.000Z',
      updatedAt: '2026-01-15T12:00:00.000Z',
      version: 1,
    });
    expect(entries.slice(1)).toMatchObject([
      { title: 'Visa', siteUrl: '' },
      { title: 'Note', archived: true },
    ]);
    expect((await scene.call('GET', '/vaults')).body.data.vaults[0].entryCount).toBe(3);
  });

  it('keep every text exactly as it came', { tags: 'thorough' }, async () => {
    await using scene = await openScene(engine);
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ unit: 'binary', maxLength: 40 }).filter((one) => !/\p{Surrogate}/u.test(one)),
      fc.constantFrom(
        '   ',
        ' 007 ',
        '1e5',
        '&#233;',
        '=cmd',
        '\uFEFFx',
        'a\r\nb',
        'a\r\r\nb',
        '\0',
        'cafe\u0301',
        '__proto__',
      ),
    );
    await fc.assert(
      fc.asyncProperty(text, text, text, async (password, notes, name) => {
        const id = await scene.login({ password, notes, customFields: [{ name, value: password, hidden: false }] });
        const { entry } = await scene.in('GET', `/entries/${id}`);
        expect(entry).toMatchObject({ password, notes, customFields: [{ name, value: password }] });
      }),
      { numRuns: inStage(5, 5, runs(30)) },
    );
  });

  it('refuse what their type does not have, and say which field it is', async () => {
    await using scene = await openScene(engine);
    for (const [body, path] of [
      [{ title: 'x' }, 'type'],
      [{ type: 'login' }, 'title'],
      [{ type: 'login', title: '  ' }, 'title'],
      [{ type: 'identity', title: 'x' }, 'type'],
      [{ type: 'login', title: 'x', cvv: '123' }, 'cvv'],
      [{ type: 'secure_note', title: 'x', password: 'p' }, 'password'],
      [{ type: 'credit_card', title: 'x', expirationDate: '13/2030' }, 'expirationDate'],
      [{ type: 'login', title: 'x', tags: 'mail' }, 'tags'],
      [{ type: 'login', title: 'x', urls: [{ uri: 'x', match: 'regex' }] }, 'urls.0.match'],
      [{ type: 'login', title: 'x', password: '\ud800' }, 'password'],
    ] as const) {
      const answer = await scene.call('POST', `/vaults/${scene.vaultId}/entries`, body);
      expect([body, said(answer), answer.body.error.errors[0].path]).toEqual([body, '400 VALIDATION_ERROR', path]);
    }
  });

  it('change in what is given; a password that is replaced goes to the history', async () => {
    await using scene = await openScene(engine);
    const id = await scene.login({ siteUrl: 'https://one.example', notes: 'stays' });
    scene.house.clock.advance(1_000);
    const put = (body: object) => scene.in('PUT', `/entries/${id}`, body);
    expect((await put({ password: 'second' })).entry).toEqual({
      id,
      type: 'login',
      title: 'A login',
      updatedAt: '2026-01-15T12:00:01.000Z',
      version: 2,
    });
    await put({ title: 'Renamed', password: 'second' });
    scene.house.clock.advance(1_000);
    await put({ password: 'third', favorite: true });
    const { entry } = await scene.in('GET', `/entries/${id}`);
    expect(entry).toMatchObject({
      title: 'Renamed',
      password: 'third',
      notes: 'stays',
      favorite: true,
      version: 4,
      passwordHistory: [
        { password: 'second', changedAt: '2026-01-15T12:00:02.000Z' },
        { password: 'a password', changedAt: '2026-01-15T12:00:01.000Z' },
      ],
    });
    expect((await scene.in('GET', '/entries')).entries).toMatchObject([
      { title: 'Renamed', favorite: true, version: 4 },
    ]);
    expect(said(await scene.call('PUT', `/vaults/${scene.vaultId}/entries/${id}`, { type: 'secure_note' }))).toBe(
      '400 VALIDATION_ERROR',
    );
  });

  it('are not overwritten by a change that was made on another version', async () => {
    await using scene = await openScene(engine);
    const id = await scene.login();
    const path = `/vaults/${scene.vaultId}/entries/${id}`;
    const put = async (body: object, headers = {}) => await scene.call('PUT', path, body, undefined, headers);
    const first = await put({ password: 'by one' }, { 'if-match': '"1"' });
    expect(first.headers.get('etag')).toBe('"2"');
    expect(said(await put({ password: 'by two' }, { 'if-match': '"1"' }))).toBe('409 ENTRY_CHANGED');
    expect(said(await put({ password: 'by two', version: 1 }))).toBe('409 ENTRY_CHANGED');
    expect(said(await put({ password: 'by two' }, { 'if-match': '"2"' }))).toBe('200 success');
    expect(said(await put({ password: 'x' }, { 'if-match': 'W/nonsense' }))).toBe('400 VALIDATION_ERROR');
  });

  it('are changed and deleted under If-Match as RFC 9110 says', async () => {
    await using scene = await openScene(engine);
    const id = await scene.login();
    const path = `/vaults/${scene.vaultId}/entries/${id}`;
    const ask = async (method: 'PUT' | 'DELETE', ifMatch: string, body?: object) =>
      said(await scene.call(method, path, body, undefined, { 'if-match': ifMatch }));
    expect(await ask('PUT', '"1"', { username: 'two' })).toBe('200 success');
    for (const [tags, answer] of [
      ['"1"', '409 ENTRY_CHANGED'],
      ['W/"2"', '409 ENTRY_CHANGED'],
      ['"1", W/"2"', '409 ENTRY_CHANGED'],
      ['"two"', '409 ENTRY_CHANGED'],
      ['""', '409 ENTRY_CHANGED'],
      ['"02"', '409 ENTRY_CHANGED'],
      ['2', '400 VALIDATION_ERROR'],
      ['"2', '400 VALIDATION_ERROR'],
      ['"2" "3"', '400 VALIDATION_ERROR'],
      ['*, "2"', '400 VALIDATION_ERROR'],
    ] as const) {
      expect([tags, await ask('PUT', tags, { username: 'x' })]).toEqual([tags, answer]);
      expect([tags, await ask('DELETE', tags)]).toEqual([tags, answer]);
    }
    expect(await ask('PUT', '"2"', { username: 'x', version: 1 })).toBe('400 VALIDATION_ERROR');
    expect(await ask('PUT', '"1", "2"', { username: 'x', version: 1 })).toBe('409 ENTRY_CHANGED');
    // What a body calls by the name of the field is no header.
    expect(said(await scene.call('PUT', path, { username: 'x', ifMatch: '"1"' }))).toBe('200 success');
    expect(await ask('PUT', '"3"', { username: 'x', version: 3 })).toBe('200 success');
    expect(await ask('PUT', '"9" , "4"', { username: 'x' })).toBe('200 success');
    expect(await ask('PUT', '*', { username: 'x' })).toBe('200 success');
    expect(await ask('DELETE', '"6"')).toBe('200 success');
    for (const tags of ['*', '"6"']) expect(await ask('DELETE', tags)).toBe('404 ENTRY_NOT_FOUND');
  });

  it('that two change at once keep both in the history, and with a version only one gets through', async () => {
    await using scene = await openScene(engine);
    const id = await scene.login({ password: 'zero' });
    const path = `/vaults/${scene.vaultId}/entries/${id}`;
    const both = await Promise.all(['one', 'two'].map((password) => scene.call('PUT', path, { password })));
    expect(both.map(said)).toEqual(['200 success', '200 success']);
    const { entry } = await scene.in('GET', `/entries/${id}`);
    const all = [entry.password, ...entry.passwordHistory.map((old: { password: string }) => old.password)];
    expect(all.toSorted()).toEqual(['one', 'two', 'zero']);
    const again = await Promise.all(
      ['three', 'four'].map((password) => scene.call('PUT', path, { password, version: 3 })),
    );
    expect(again.map(said).toSorted()).toEqual(['200 success', '409 ENTRY_CHANGED']);
  });

  it('are gone when they are deleted', async () => {
    await using scene = await openScene(engine);
    const [one, two] = [await scene.login({ title: 'One' }), await scene.login({ title: 'Two' })];
    await scene.in('DELETE', `/entries/${one}`);
    expect((await scene.in('GET', '/entries')).entries).toMatchObject([{ id: two }]);
    for (const method of ['GET', 'DELETE'] as const)
      expect(said(await scene.call(method, `/vaults/${scene.vaultId}/entries/${one}`))).toBe('404 ENTRY_NOT_FOUND');
    expect(said(await scene.call('PUT', `/vaults/${scene.vaultId}/entries/${one}`, { title: 'x' }))).toBe(
      '404 ENTRY_NOT_FOUND',
    );
    expect((await scene.call('GET', '/vaults')).body.data.vaults[0].entryCount).toBe(1);
  });

  it('of another vault are not there', async () => {
    await using scene = await openScene(engine);
    const id = await scene.login();
    const made = await scene.call('POST', '/vaults', { name: 'Other', masterPassword: 'another master password' });
    const other = made.body.data.vault.id;
    expect(said(await scene.call('GET', `/vaults/${other}/entries/${id}`))).toBe('404 ENTRY_NOT_FOUND');
    expect(said(await scene.call('DELETE', `/vaults/${other}/entries/${id}`))).toBe('404 ENTRY_NOT_FOUND');
  });

  it('are created once for one Idempotency-Key', async () => {
    await using scene = await openScene(engine);
    const create = async () =>
      await scene.call('POST', `/vaults/${scene.vaultId}/entries`, { type: 'secure_note', title: 'Once' }, undefined, {
        'idempotency-key': 'k1',
      });
    const [first, second] = [await create(), await create()];
    expect(second.body).toEqual(first.body);
    expect((await scene.in('GET', '/entries')).entries).toHaveLength(1);
  });

  it('by the hundreds fill several pages and stay findable', async () => {
    await using scene = await openScene(engine);
    const csv = Array.from({ length: 600 }, (_, at) => `Site ${at},https://s${at}.example,user${at},pw${at}`).join(
      '\n',
    );
    const fileContent = Buffer.from(`name,url,username,password\n${csv}\n`).toString('base64');
    await scene.in('POST', '/import', { format: 'browserA_csv', fileContent });
    const { entries } = await scene.in('GET', '/entries');
    expect(entries).toHaveLength(600);
    const pages = await scene.house.ctx.db
      .selectFrom('passvault_pages')
      .select(['page', 'records'])
      .orderBy('page')
      .execute();
    expect(pages).toEqual([
      { page: 1, records: 256 },
      { page: 2, records: 256 },
      { page: 3, records: 88 },
    ]);
    const inTheMiddle = entries[300].id;
    await scene.in('PUT', `/entries/${inTheMiddle}`, { title: 'Changed' });
    await scene.in('DELETE', `/entries/${entries[10].id}`);
    await scene.login({ title: 'Last' });
    const { results } = await scene.in('POST', '/search', { query: 'changed' });
    expect(results).toMatchObject([{ id: inTheMiddle, username: 'user300' }]);
    expect((await scene.in('GET', '/entries')).entries).toHaveLength(600);
  });
});

describe.each(engines)('the search on %s', (engine) => {
  it('finds what meets all criteria', async () => {
    await using scene = await openScene(engine);
    await scene.login({
      title: 'Bank of Ämter',
      tags: ['Money', 'home'],
      favorite: true,
      siteUrl: 'https://bank.example',
    });
    await scene.login({ title: 'Shop', username: 'bob@mail.example', tags: ['money'] });
    await scene.in('POST', '/entries', { type: 'secure_note', title: 'Bank "note" \\ here', content: 'hidden words' });
    const found = async (criteria: object) =>
      (await scene.in('POST', '/search', criteria)).results.map((one: { title: string }) => one.title.split(' ')[0]);
    expect(await found({})).toEqual(['Bank', 'Shop', 'Bank']);
    expect(await found({ query: 'bank' })).toEqual(['Bank', 'Bank']);
    expect(await found({ query: 'ÄMTER' })).toEqual(['Bank']);
    expect(await found({ query: 'a\u0308mter' })).toEqual(['Bank']);
    expect(await found({ query: '"note" \\' })).toEqual(['Bank']);
    expect(await found({ query: 'bank', type: 'login' })).toEqual(['Bank']);
    expect(await found({ query: 'bob@' })).toEqual(['Shop']);
    expect(await found({ tags: ['MONEY'] })).toEqual(['Bank', 'Shop']);
    expect(await found({ tags: ['money', 'home'] })).toEqual(['Bank']);
    expect(await found({ favorite: true })).toEqual(['Bank']);
    expect(await found({ favorite: false, tags: ['money'] })).toEqual(['Shop']);
    expect(await found({ query: 'hidden' })).toEqual([]);
    expect(await found({ query: 'a password' })).toEqual([]);
    expect(await found({ query: 'title' })).toEqual([]);
    expect((await scene.in('POST', '/search', { query: 'shop' })).results[0]).toEqual({
      id: expect.any(String),
      type: 'login',
      title: 'Shop',
      tags: ['money'],
      favorite: false,
      siteUrl: '',
      username: 'bob@mail.example',
    });
  });

  it('takes every character of a query for itself, also among ASCII alone', async () => {
    await using scene = await openScene(engine);
    const title = 'Rate (EUR) [a-c] {2} 1.5*x+y? $9 ^top | a/b ~#!%&';
    await scene.login({ title });
    await scene.login({ title: 'Other' });
    const found = async (query: string) =>
      (await scene.in('POST', '/search', { query })).results.map((one: { title: string }) => one.title);
    for (const query of [title, title.toUpperCase(), ...new Set(title.replaceAll(/[a-z0-9 ]/gi, ''))])
      expect(await found(query)).toEqual([title]);
    for (const query of ['1x5', '[abc]', '.*', 'R\u00e4te', 'K\u0131']) expect(await found(query)).toEqual([]);
  });
});

describe.each(engines)('autofill on %s', (engine) => {
  it('gives the logins for a page, the best first, and says so in the audit log', async () => {
    await using scene = await openScene(engine);
    await scene.login({ title: 'By domain', siteUrl: 'https://www.bank.example', password: 'one' });
    await scene.login({
      title: 'Favourite',
      siteUrl: 'bank.example',
      favorite: true,
      password: 'two',
      totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    });
    await scene.login({ title: 'By host', urls: [{ uri: 'https://login.bank.example', match: 'host' }] });
    await scene.login({
      title: 'Never',
      siteUrl: 'https://bank.example',
      urls: [{ uri: 'https://bank.example', match: 'never' }],
    });
    await scene.login({ title: 'Archived', siteUrl: 'https://bank.example', archived: true });
    await scene.login({ title: 'Elsewhere', siteUrl: 'https://bank.example.evil.org' });
    await scene.login({ title: 'Bad secret', siteUrl: 'https://odd.example', totpSecret: 'not base 32!' });
    const fill = async (siteUrl: string) => await scene.in('POST', '/autofill', { siteUrl });
    const { vaultId, entries } = await fill('https://login.bank.example/in');
    expect(vaultId).toBe(scene.vaultId);
    expect(entries.map((one: { title: string }) => one.title)).toEqual(['By host', 'Favourite', 'By domain']);
    expect(entries[1]).toEqual({
      entryId: expect.any(String),
      title: 'Favourite',
      username: 'alice',
      password: 'two',
      siteUrl: 'bank.example',
      totpCode: expect.stringMatching(/^\d{6}$/),
    });
    expect(entries[2].totpCode).toBeNull();
    expect((await fill('https://odd.example')).entries).toMatchObject([{ title: 'Bad secret', totpCode: null }]);
    expect((await fill('http://bank.example')).entries).toEqual([]);
    expect(said(await scene.call('POST', `/vaults/${scene.vaultId}/autofill`, { siteUrl: 'mailto:x' }))).toBe(
      '400 VALIDATION_ERROR',
    );
    const log = await scene.in('GET', '/audit-log');
    const reads = log.entries.filter((one: { action: string }) => one.action === 'ENTRY_READ');
    expect(reads).toHaveLength(4);
    expect(reads[0].metadata).toMatchObject({ by: 'autofill' });
  });
});
