import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { CryptoError } from '../../../src/crypto/crypto-error.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { uncompressPublicKey } from '../../../src/crypto/public-key.ts';
import { heavyWork } from '../../../src/service/heavy-work.ts';
import type { Offload } from '../../../src/service/ports/workers.ts';
import { Problem } from '../../../src/base/problem.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, sha256 } from './scene.ts';
import { decrypted, fetchContent, fragmentOf, makeLink, visit } from './sharing-scene.ts';

const MEBIBYTE = 1024 ** 2;

describe.each(engines)('links on %s', (engine) => {
  it('server_proxied: the node decrypts', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('a letter', { name: 'letter.txt', type: 'text/plain' });
    const made = await scene.get('POST', '/share/link', { fileId: id, mode: 'server_proxied', maxAccessCount: 5 });
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      url: `http://house.test/s/${made.token}`,
      mode: 'server_proxied',
      fileId: id,
      fileName: 'letter.txt',
      versionId: expect.stringMatching(/^[0-9a-f]{32}$/),
      expiresAt: null,
      maxAccessCount: 5,
      accessCount: 0,
      passwordProtected: false,
      createdAt: '2026-01-15T12:00:00.000Z',
    });
    const { status, body, headers } = await visit(scene, made.token);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      fileName: 'letter.txt',
      mimeType: 'text/plain',
      sizeBytes: 8,
      mode: 'server_proxied',
    });
    expect(Buffer.from(body.encryptedContent, 'base64').toString()).toBe('a letter');
    expect(body.wrappedKey).toBeUndefined();
    expect(headers.get('x-access-receipt')).toBe(body.accessReceipt);
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
    const content = await fetchContent(scene, made.token);
    expect([content.status, content.bytes.toString()]).toEqual([200, 'a letter']);
    expect(content.headers.get('content-disposition')).toBe('attachment; filename="letter.txt"');
    expect(content.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(content.headers.get('x-access-receipt')).toMatch(/^v1\./);
    const { links } = await scene.get('GET', `/share/${id}/shares`);
    expect(links).toMatchObject([{ accessCount: 2, active: true, tokenStart: made.token.slice(0, 6) }]);
  });

  it('ephemeral_key_pair: the key is in the fragment alone, and decrypts in the client', async () => {
    await using scene = await openScene(engine);
    const content = randomBytes(9 * MEBIBYTE);
    const id = await scene.file(content);
    const { token, url } = await makeLink(scene, id, { mode: 'ephemeral_key_pair' });
    const { body } = await visit(scene, token);
    // Above 8 MiB the content is at its own address.
    expect(body.encryptedContent).toBeUndefined();
    expect(body.contentUrl).toBe(`/filevault/share/link/${token}/content`);
    const sealed = await fetchContent(scene, token);
    expect([sealed.bytes.length, sealed.headers.get('content-type')]).toEqual([
      body.sealedBytes,
      'application/octet-stream',
    ]);
    expect(sha256(decrypted(body, fragmentOf(url), sealed.bytes))).toBe(sha256(content));
    expect(() => decrypted(body, generateKeyPair().privateKey, sealed.bytes)).toThrow(CryptoError);
    const everything = JSON.stringify([
      await scene.house.ctx.db.selectFrom('file_links').selectAll().execute(),
      await scene.house.ctx.db.selectFrom('file_share_keys').selectAll().execute(),
      [...scene.house.log.lines],
    ]);
    expect(everything).not.toContain(new URL(url).hash.slice(1));
    expect(everything).not.toContain(token);
    const small = await scene.file('small');
    const other = await makeLink(scene, small, { mode: 'ephemeral_key_pair' });
    const opened = (await visit(scene, other.token)).body;
    const inlined = Buffer.from(opened.encryptedContent, 'base64');
    expect(decrypted(opened, fragmentOf(other.url), inlined).toString()).toBe('small');
    expect((await fetchContent(scene, other.token)).bytes.equals(inlined)).toBe(true);
  });

  it('recipient_public_key: only that key opens it', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('for you');
    const reader = generateKeyPair();
    const mode = 'recipient_public_key';
    for (const recipientPublicKey of [toHex(reader.publicKey), toHex(uncompressPublicKey(reader.publicKey))]) {
      const { token, url } = await makeLink(scene, id, { mode, recipientPublicKey });
      expect(new URL(url).hash).toBe('');
      const { body } = await visit(scene, token);
      expect(body.recipientPublicKey).toBe(toHex(reader.publicKey));
      const sealed = Buffer.from(body.encryptedContent, 'base64');
      expect(decrypted(body, reader.privateKey, sealed).toString()).toBe('for you');
      expect(() => decrypted(body, generateKeyPair().privateKey, sealed)).toThrow(CryptoError);
    }
    const refused = async (more: object) =>
      said(await scene.call('POST', '/share/link', { fileId: id, mode, ...more }));
    expect(await refused({})).toBe('400 VALIDATION_ERROR');
    expect(await refused({ recipientPublicKey: '02'.repeat(32) })).toBe('400 VALIDATION_ERROR');
    expect(await refused({ recipientPublicKey: `02${'ff'.repeat(32)}` })).toBe('400 VALIDATION_ERROR');
    expect(await refused({ mode: 'ephemeral_key_pair', recipientPublicKey: toHex(reader.publicKey) })).toBe(
      '400 VALIDATION_ERROR',
    );
  });

  it('check 10: tokens have 256 random bits, and unknown, expired and used up are one answer', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('some bytes');
    const made = [];
    for (let at = 0; at < 20; at += 1) made.push(await makeLink(scene, id, { maxAccessCount: 1 }));
    const tokens = made.map(({ token }) => Buffer.from(token, 'base64url'));
    expect(tokens.every((token) => token.length === 32)).toBe(true);
    for (let at = 0; at < 32; at += 1) expect(new Set(tokens.map((token) => token[at])).size).toBeGreaterThan(5);
    const expired = await makeLink(scene, id, { expiresAt: '2026-01-15T12:01:00.000Z', password: 'a password' });
    const used = made[0]!;
    expect((await visit(scene, used.token)).status).toBe(200);
    scene.house.clock.advance(60_000);
    const answers = [];
    for (const token of [randomBytes(32).toString('base64url'), expired.token, used.token, 'x'])
      for (const path of [token, `${token}/content`, `${token}?content=false`]) answers.push(await visit(scene, path));
    const seen = answers.map(({ status, headers, body }) => {
      const fields = Object.fromEntries(headers);
      for (const name of ['x-request-id', 'ratelimit-remaining', 'ratelimit-reset']) delete fields[name];
      return { status, fields, body };
    });
    expect(seen[0]).toMatchObject({ status: 404, body: { error: 'LINK_NOT_FOUND' } });
    for (const one of seen) expect(one).toEqual(seen[0]);
    expect((await visit(scene, made[1]!.token)).status).toBe(200);
    expect(
      said(
        await scene.call('POST', '/share/link', {
          fileId: id,
          mode: 'server_proxied',
          expiresAt: '2026-01-15T12:01:00.000Z',
        }),
      ),
    ).toBe('400 VALIDATION_ERROR');
  });

  it('check 11: nothing of the file is known before the right password', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('some bytes', { name: 'secret name.txt' });
    const password = 'correct horse žluť';
    const { token } = await makeLink(scene, id, { password });
    const wrong = { 'x-share-password': 'wrong' };
    const right = { 'x-share-password': `UTF-8''${encodeURIComponent(password)}` };
    for (const path of [token, `${token}?content=false`, `${token}/content`]) {
      for (const [headers, code] of [
        [{}, 'LINK_PASSWORD_REQUIRED'],
        [wrong, 'LINK_PASSWORD_WRONG'],
        [{ 'x-share-grant': 'AAAA' }, 'LINK_PASSWORD_REQUIRED'],
      ] as const) {
        const answer = await visit(scene, path, { headers });
        expect(said(answer), path).toBe(`401 ${code}`);
        expect(JSON.stringify([answer.body, [...answer.headers]])).not.toContain('secret name');
      }
    }
    expect((await visit(scene, token, { headers: right })).body.passwordProtected).toBe(true);
    const bytes = Buffer.from(password).toString('latin1');
    expect((await visit(scene, `${token}/content`, { headers: { 'x-share-password': bytes } })).status).toBe(200);
    expect((await visit(scene, `${token}?password=${encodeURIComponent(password)}`)).status).toBe(200);
    // The password stands nowhere.
    const rows = await scene.house.ctx.db.selectFrom('file_links').selectAll().execute();
    expect(rows[0]?.verifier?.length).toBe(32);
    expect(JSON.stringify([rows, [...scene.house.log.lines]])).not.toContain('correct horse');
    expect((await visit(scene, token, { headers: right })).headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('check 11: guesses at a password are limited for the link and for the address, and right ones never', async () => {
    const { limits } = (await loadConfig({ flags: {}, env: {}, home: '/nowhere', cwd: '/' })).config;
    await using scene = await openScene(engine, { config: { limits } });
    const id = await scene.file('some bytes');
    const [first, second] = [
      await makeLink(scene, id, { password: 'right' }),
      await makeLink(scene, id, { password: 'right' }),
    ];
    const ask = async (token: string, password: string, address: string, path = '') =>
      said(await visit(scene, `${token}${path}?content=false`, { address, headers: { 'x-share-password': password } }));
    for (let at = 0; at < 15; at += 1) expect(await ask(first.token, 'right', '192.0.2.1')).toBe('200 success');
    for (let at = 0; at < 10; at += 1)
      expect(await ask(first.token, 'wrong', '192.0.2.1', at % 2 === 0 ? '' : '/content')).toBe(
        '401 LINK_PASSWORD_WRONG',
      );
    // The address is used up, for every link. Requests without a password are no guesses.
    expect(await ask(first.token, 'right', '192.0.2.1')).toBe('429 RATE_LIMITED');
    expect(await ask(second.token, 'right', '192.0.2.1')).toBe('429 RATE_LIMITED');
    expect(said(await visit(scene, second.token, { address: '192.0.2.1' }))).toBe('401 LINK_PASSWORD_REQUIRED');
    // And so is the link, from every address.
    expect(await ask(first.token, 'right', '198.51.100.7')).toBe('429 RATE_LIMITED');
    expect(await ask(second.token, 'right', '198.51.100.7')).toBe('200 success');
  });

  it('check 11: no password of a link waits for a sign-in, and no sign-in for it', async () => {
    const heavy = heavyWork({ atOnce: 1, queued: 1 });
    await using scene = await openScene(engine, { context: { heavy } });
    const id = await scene.file('some bytes');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const signIns = [heavy.run(() => held), heavy.run(() => held)];
    const { token } = await makeLink(scene, id, { password: 'right' });
    expect((await visit(scene, token, { headers: { 'x-share-password': 'right' } })).status).toBe(200);
    release();
    await Promise.all(signIns);
    const busy = () => Promise.reject(new Problem('unavailable', 'OVERLOADED', 'The server has too much work.'));
    const offload: Offload = { run: busy, of: () => offload };
    await using other = await openScene(engine, { context: { offload } });
    const file = await other.file('some bytes');
    const body = { fileId: file, mode: 'server_proxied', password: 'right' };
    expect(said(await other.call('POST', '/share/link', body))).toBe('503 OVERLOADED');
    expect(await other.house.ctx.db.selectFrom('file_links').select('id').execute()).toEqual([]);
  });

  it('check 12: HEAD, 304, 416 and content=false count nothing, and a grant goes on where it broke off', async () => {
    await using scene = await openScene(engine);
    const content = randomBytes(3 * MEBIBYTE);
    const id = await scene.file(content);
    const { token } = await makeLink(scene, id, { maxAccessCount: 1, password: 'pass' });
    const key = { 'x-share-password': 'pass' };
    const head = await fetchContent(scene, token, key, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(content.length)]);
    const tag = head.headers.get('etag')!;
    expect((await fetchContent(scene, token, { ...key, 'if-none-match': tag })).status).toBe(304);
    expect((await fetchContent(scene, token, { ...key, range: `bytes=${content.length}-` })).status).toBe(416);
    expect((await visit(scene, `${token}?content=false`, { headers: key })).status).toBe(200);
    const url = `http://house.test/filevault/share/link/${token}`;
    expect((await scene.house.fetch(new Request(url, { method: 'HEAD', headers: key }))).status).toBe(200);
    const count = async () =>
      (await scene.house.ctx.db.selectFrom('file_links').select('access_count').executeTakeFirstOrThrow()).access_count;
    expect(await count()).toBe(0);

    // Broken off after the first piece: it was counted, and the grant goes on.
    const begun = await scene.house.fetch(new Request(`${url}/content`, { headers: key }));
    const grant = begun.headers.get('x-share-grant')!;
    const reader = begun.body!.getReader();
    await reader.read();
    await reader.cancel();
    expect(await count()).toBe(1);
    expect((await fetchContent(scene, token, key)).status).toBe(404);
    expect((await visit(scene, token, { headers: key })).status).toBe(404);
    const rest = await fetchContent(scene, token, { 'x-share-grant': grant, range: 'bytes=1000-', 'if-range': tag });
    expect([rest.status, sha256(rest.bytes)]).toEqual([206, sha256(content.subarray(1000))]);
    expect(rest.headers.get('x-share-grant')).toBeNull();
    expect(await count()).toBe(1);
    // For this link alone, for a day, and no other than the node makes one.
    const other = await makeLink(scene, id, { maxAccessCount: 1 });
    expect(
      (await fetchContent(scene, other.token, { 'x-share-grant': grant })).headers.get('x-share-grant'),
    ).not.toBeNull();
    const forged = `${grant.slice(0, -2)}${grant.endsWith('AA') ? 'BB' : 'AA'}`;
    expect((await fetchContent(scene, token, { ...key, 'x-share-grant': forged })).status).toBe(404);
    scene.house.clock.advance(24 * 3_600_000);
    expect((await fetchContent(scene, token, { 'x-share-grant': grant })).status).toBe(404);
  });
});

describe.each(engines)('links that many open at once on %s', (engine) => {
  it('check 12: of 50 that open a one-time link at once, exactly one gets it', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('only once');
    const race = async (ways: readonly (() => Promise<number>)[]) => {
      const statuses = await Promise.all(ways.map(async (way) => await way()));
      return statuses.filter((status) => status !== 404);
    };
    const once = async () => (await makeLink(scene, id, { maxAccessCount: 1 })).token;
    const [inline, body, mixed] = [await once(), await once(), await once()];
    const content =
      (token: string, headers = {}) =>
      async () =>
        (await fetchContent(scene, token, headers)).status;
    const json = (token: string) => async () => (await visit(scene, token)).status;
    const fifty = <T>(of: (at: number) => T) => Array.from({ length: 50 }, (_, at) => of(at));
    expect(await race(fifty(() => json(inline)))).toEqual([200]);
    expect(await race(fifty(() => content(body)))).toEqual([200]);
    const range = { range: 'bytes=0-3' };
    expect(await race(fifty((at) => (at % 2 === 0 ? json(mixed) : content(mixed, range))))).toHaveLength(1);
    const rows = await scene.house.ctx.db.selectFrom('file_links').select('access_count').execute();
    expect(rows.map((row) => row.access_count)).toEqual([1, 1, 1]);
    const audit = await scene.get('GET', `/share/${id}/audit`);
    expect(audit.filter((record: { action: string }) => record.action === 'share_link_accessed')).toHaveLength(3);
  });
});
