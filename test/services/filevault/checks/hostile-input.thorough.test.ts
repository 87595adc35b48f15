import { describe, expect, it } from 'vitest';
import { engines } from '../../../support/stores.ts';
import { openScene, said, type Scene } from '../scene.ts';

/** Names that say a path, hide something, or are too long. */
const refusedNames: readonly unknown[] = [
  '../../etc/passwd',
  '..\\..\\boot.ini',
  '/etc/passwd',
  'C:\\Windows\\x',
  '.',
  '..',
  'a\u0000.txt',
  'two\nlines',
  'two\r\nlines',
  '\u001b[2J',
  'a\u202egnp.exe',
  '\u2066a',
  '\ud800.txt',
  ' ',
  '',
  'x'.repeat(256),
  'ž'.repeat(150),
  'x'.repeat(10_000),
  null,
  ['x'],
];

/** Names that are strange to some systems, and harmless to the node: no file of the node has the name of a file of a member. */
const keptNames = [
  '%2e%2e%2f',
  '%252e%252e',
  'CON',
  'nul.txt',
  'dots...',
  'space ',
  '-rf',
  '.bashrc',
  "'; drop--",
  '👩‍👩‍👧',
];

describe.each(engines)('check 15, names on %s', (engine) => {
  it('that are paths, break lines or turn the direction of writing are refused wherever a name is given', async () => {
    await using scene = await openScene(engine);
    const folder = await scene.folder('folder');
    const file = await scene.file('x');
    const container = await scene.get('GET', `/vaults/${scene.containerId}`);
    for (const name of refusedNames) {
      const calls = {
        name: [
          await scene.call('POST', '/folders', { name, parentFolderId: folder, vaultContainerId: scene.containerId }),
          await scene.call('PATCH', `/folders/${folder}`, { name }),
        ],
        fileName: [
          await scene.call('PATCH', `/files/${file}`, { fileName: name }),
          await scene.begin(1, { name: name as string }),
        ],
      };
      // Without a name there is nothing to begin, and a scene gives one of its own.
      for (const [field, answers] of Object.entries(calls))
        for (const answer of answers) {
          const where = `${field} ${JSON.stringify(name)}`;
          if (name === null && answer === calls.fileName[1]) continue;
          expect([said(answer), answer.body.errors?.[0]?.path.split('.')[0]], where).toEqual([
            '400 VALIDATION_ERROR',
            field,
          ]);
        }
    }
    expect((await scene.get('GET', `/folders/${scene.rootId}`)).subfolders[0].name).toBe('folder');
    expect(await scene.get('GET', `/vaults/${scene.containerId}`)).toEqual(container);
  });

  it('that only other systems dislike are kept to the letter, and found by their path', async () => {
    await using scene = await openScene(engine);
    for (const name of keptNames) {
      const id = await scene.file(name, { name });
      expect((await scene.get('GET', `/files/${id}/metadata`)).name).toBe(name);
      const found = await scene.get('GET', `/folders/resolve/${encodeURIComponent(name)}`);
      expect([found.file.id, found.folders.length], name).toEqual([id, 1]);
    }
    const inside = await scene.folder('inside');
    await scene.file('secret', { name: 'secret.txt', folder: inside });
    for (const path of [
      '../secret.txt',
      '%2e%2e/inside/secret.txt',
      'inside%2fsecret.txt/x',
      'inside%252fsecret.txt',
      'inside/secret.txt%00',
      'inside%5csecret.txt',
      '/etc/passwd',
      'x/'.repeat(5_000),
    ]) {
      const { status } = await scene.call('GET', `/folders/resolve/${path}`);
      expect([400, 404, 414], path.slice(0, 40)).toContain(status);
    }
  });
});

describe.each(engines)('checks 18 and 19, headers of downloads and previews on %s', (engine) => {
  const guarded = (answer: { headers: Headers }) =>
    ['x-content-type-options', 'content-security-policy', 'cross-origin-resource-policy'].map((name) =>
      answer.headers.get(name),
    );

  it('never let a stored file run as a page of the node, whatever type it claims', async () => {
    await using scene = await openScene(engine);
    const content = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
    for (const type of [
      'image/svg+xml',
      'IMAGE/SVG+XML',
      'image/svg+xml; charset=utf-8',
      'text/html',
      'Text/HTML;charset=utf-7',
      'application/xhtml+xml',
      'application/xml',
      'text/xml',
      'text/javascript',
      'application/javascript',
      'message/rfc822',
      'multipart/related',
      'application/x-shockwave-flash',
      'text/css',
      'application/wasm',
      'made/up',
    ]) {
      const id = await scene.file(content, { type });
      const answer = await scene.call('GET', `/files/${id}/preview`);
      expect(answer.headers.get('content-type'), type).toBe('application/octet-stream');
      expect(answer.headers.get('content-disposition'), type).toMatch(/^attachment;/);
      expect(guarded(answer), type).toEqual(['nosniff', "default-src 'none'; sandbox", 'same-origin']);
    }
    for (const type of ['image/png', 'Image/PNG; x=<script>', 'application/pdf', 'video/mp4', 'text/plain']) {
      const id = await scene.file(content, { type });
      const answer = await scene.call('GET', `/files/${id}/preview`);
      const shown = type === 'text/plain' ? 'text/plain; charset=utf-8' : type.toLowerCase().split(';')[0];
      expect(answer.headers.get('content-type'), type).toBe(shown);
      expect(guarded(answer), type).toEqual(['nosniff', "default-src 'none'; sandbox", 'same-origin']);
    }
    for (const type of [
      'text/html\r\nset-cookie: a=b',
      'text',
      'text/',
      '/html',
      'a b/c',
      `text/${'x'.repeat(300)}`,
      '',
    ]) {
      const answer = await scene.begin(1, { type });
      expect([said(answer), answer.body.errors[0].path], type).toEqual(['400 VALIDATION_ERROR', 'mimeType']);
    }
  });

  it('carry any name in one header that gives it back, on files, versions and links', async () => {
    await using scene = await openScene(engine);
    const names = [
      'a"b.txt',
      "it's; filename=evil.exe",
      '100%.txt',
      '%0d%0aset-cookie: a=b',
      'naïve – 文件 👩‍👩‍👧.pdf',
      "UTF-8''x",
      `${'ž'.repeat(125)}.txt`,
    ];
    for (const name of names) {
      const id = await scene.file('x', { name });
      const [{ versionId }] = await scene.get('GET', `/files/${id}/versions`);
      const { token } = await scene.get('POST', '/share/link', { fileId: id, mode: 'server_proxied' });
      for (const path of [
        `/files/${id}`,
        `/files/${id}/preview`,
        `/files/${id}/versions/${versionId}/download`,
        `/share/link/${token}/content`,
      ]) {
        const header = (await scene.call('GET', path)).headers.get('content-disposition') ?? '';
        const [, quoted, encoded] =
          /^attachment; filename="([ -~]*?)"(?:; filename\*=UTF-8''([!#$&+.^_`|~%\w-]+))?$/.exec(header)!;
        expect(quoted, header).not.toMatch(/["\\]/);
        expect(encoded === undefined ? quoted : decodeURIComponent(encoded), `${path} ${header}`).toBe(name);
      }
    }
  });
});

describe.each(engines)('check 20, ranges on %s', (engine) => {
  it('are one at most, and every other form is answered whole or with 416, also on versions, previews and links', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('0123456789', { type: 'text/plain' });
    const [{ versionId }] = await scene.get('GET', `/files/${id}/versions`);
    const { token } = await scene.get('POST', '/share/link', { fileId: id, mode: 'server_proxied' });
    const many = `bytes=${Array.from({ length: 1_000 }, (_, index) => `${index}-${index}`).join()}`;
    const wanted: readonly (readonly [string, number, string])[] = [
      ['bytes=0-0', 206, '0'],
      ['bytes=-1', 206, '9'],
      ['bytes=-100', 206, '0123456789'],
      ['bytes=9-', 206, '9'],
      ['bytes=3-4', 206, '34'],
      ['bytes=5-4', 200, '0123456789'],
      ['bytes=0-1,3-4', 200, '0123456789'],
      [many, 200, '0123456789'],
      ['bytes=0x1-2', 200, '0123456789'],
      // No file is that long, so it is no range.
      ['bytes=99999999999999999999-', 200, '0123456789'],
      ['bytes=999999999999999-', 416, ''],
      ['bytes=10-', 416, ''],
      ['bytes=-0', 416, ''],
    ];
    for (const path of [
      `files/${id}`,
      `files/${id}/preview`,
      `files/${id}/versions/${versionId}/download`,
      `share/link/${token}/content`,
    ])
      for (const [range, status, text] of wanted) {
        const headers = { range, authorization: `Bearer ${scene.owner.token}` };
        const answer = await scene.house.fetch(new Request(`http://house.test/filevault/${path}`, { headers }));
        const body = await answer.text();
        expect([answer.status, status === 416 ? '' : body], `${path} ${range.slice(0, 40)}`).toEqual([status, text]);
        if (status === 416) expect(answer.headers.get('content-range')).toBe('bytes */10');
      }
  });
});

describe.each(engines)('check 29, search on %s', (engine) => {
  const namesOf = async (scene: Scene, query: string, token = scene.owner.token) => {
    const answer = await scene.get('GET', `/files/search?${query}`, undefined, { token });
    expect(answer.total).toBe(answer.results.length);
    return (answer.results as { name: string }[]).map(({ name }) => name).toSorted();
  };

  it('takes what is typed for itself: quotes, patterns and escapes find what has them', async () => {
    await using scene = await openScene(engine);
    const names = [
      '100%.txt',
      'a_b.txt',
      'axb.txt',
      "o'clock.txt",
      'wow!.txt',
      'x" or 1=1.txt',
      'İstanbul.txt',
      'Straße.txt',
    ];
    for (const name of names) await scene.file('x', { name });
    const find = async (text: string) => await namesOf(scene, `query=${encodeURIComponent(text)}`);
    expect(await find('%')).toEqual(['100%.txt']);
    expect(await find('_')).toEqual(['a_b.txt']);
    expect(await find('a_b')).toEqual(['a_b.txt']);
    expect(await find('!')).toEqual(['wow!.txt']);
    expect(await find("'")).toEqual(["o'clock.txt"]);
    expect(await find(`x" or 1=1`)).toEqual(['x" or 1=1.txt']);
    expect(await find("' or 1=1 --")).toEqual([]);
    expect(await find('i̇STANBUL')).toEqual(['İstanbul.txt']);
    expect(await find('STRASSE')).toEqual(['Straße.txt']);
    expect(await find('%'.repeat(500))).toEqual([]);
    expect(await find('a%'.repeat(240))).toEqual([]);
  });

  it('refuses what is no size or date, and says which field', async () => {
    await using scene = await openScene(engine);
    for (const [field, values] of [
      ['sizeMin', ['abc', '-1', '1.5', '1e999', '9007199254740993', '']],
      ['sizeMax', ['NaN', '0x10']],
      ['dateFrom', ['yesterday', '2026-13-01T00:00:00.000Z', '1', '2026-01-01']],
      ['dateTo', ["2026-01-01T00:00:00.000Z' or 1=1", '']],
      ['fileType', ['everything', '%']],
      ['deleted', ['maybe']],
      ['folderId', ['%', '../x']],
      ['query', ['x'.repeat(501), '%00']],
      ['limit', ['0', '-1', '501', 'x']],
    ] as const)
      for (const value of values) {
        const text = value === '%00' ? value : encodeURIComponent(value);
        const answer = await scene.call('GET', `/files/search?${field}=${text}`);
        expect([said(answer), answer.body.errors?.[0]?.path], `${field}=${value.slice(0, 40)}`).toEqual([
          '400 VALIDATION_ERROR',
          field,
        ]);
      }
  });

  it('counts nothing in its total that the caller may not see', async () => {
    await using scene = await openScene(engine);
    const member = await scene.house.register();
    const [open, hidden] = [await scene.folder('open'), await scene.folder('hidden')];
    const inner = await scene.folder('inner', open);
    await scene.file('x', { name: 'plan one.txt', folder: open });
    await scene.file('x', { name: 'plan two.txt', folder: hidden });
    await scene.file('x', { name: 'plan three.txt', folder: inner });
    const refused = await scene.file('x', { name: 'plan four.txt', folder: open });
    await scene.get('DELETE', `/files/${await scene.file('x', { name: 'plan five.txt', folder: open })}`);
    const { memberId: principalId, token } = member;
    await scene.grant('folder', open, { principalId, level: 'viewer' });
    await scene.grant('folder', inner, { principalId, flags: ['download'] });
    await scene.grant('file', refused, { principalId, flags: [] });
    expect(await namesOf(scene, 'query=plan&deleted=true', token)).toEqual(['plan one.txt']);
    const answer = await scene.get('GET', '/files/search?query=plan&limit=1', undefined, { token });
    expect([answer.total, answer.hasMore ?? false]).toEqual([1, false]);
    expect(await namesOf(scene, 'query=plan')).toHaveLength(4);
  });
});

describe.each(engines)('check 31, requests of other pages on %s', (engine) => {
  it('have no token in the query, in a cookie or under another scheme, and OPTIONS tells nothing of what exists', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('x');
    const ask = async (query: string, headers: Record<string, string>) =>
      await scene.house.api('GET', `/filevault/files/${id}${query}`, { headers });
    const { token } = scene.owner;
    for (const name of ['token', 'access_token', 'authorization', 'auth', 'bearer'])
      expect((await ask(`?${name}=${encodeURIComponent(token)}`, {})).status, name).toBe(401);
    for (const cookie of [`token=${token}`, `authorization=Bearer ${token}`, `session=${token}`])
      expect((await ask('', { cookie })).status, cookie.slice(0, 10)).toBe(401);
    for (const authorization of [
      `Basic ${token}`,
      `Bearer ${token}x`,
      'Bearer',
      `Token ${token}`,
      `${token}x`,
      `${token} ${token}`,
    ])
      expect((await ask('', { authorization })).status, authorization.slice(0, 10)).toBe(401);
    const options = async (path: string) => {
      const request = new Request(`http://house.test/filevault${path}`, {
        method: 'OPTIONS',
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' },
      });
      const { status, headers } = await scene.house.fetch(request);
      const shown = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
      return { status, shown };
    };
    const nothing = '0'.repeat(32);
    for (const path of [`/files/${id}`, `/files/${id}/preview`, `/vaults/${scene.containerId}`]) {
      const real = await options(path);
      expect(real).toEqual(await options(path.replace(/[0-9a-f]{32}/, nothing)));
      expect(real.shown.map(([name]) => name)).not.toContain('access-control-allow-origin');
    }
    // A bare token is as good as one after Bearer: no browser sends either by itself, or lets another page read the answer.
    for (const authorization of [`Bearer ${token}`, token]) {
      const { status, headers } = await ask('', { authorization, origin: 'https://evil.example' });
      expect([status, headers.get('access-control-allow-origin'), headers.get('set-cookie')]).toEqual([
        200,
        null,
        null,
      ]);
    }
  });
});
