import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Open from '../../../../commands/files/open.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { keyPairFrom } from '../../../../src/client/member-secret.ts';
import { runCommand, type Run } from '../../../cli/run-command.ts';
import { hasBrowser, openBrowser, type Tab, type TestBrowser } from './browser.ts';
import { foundIn, storedBytes } from '../../../support/needles.ts';
import { downloaded, stateOf, titleOf, type Downloaded } from './driving.ts';
import { openNodeLinks, type NodeLink, type NodeLinks } from './node-links.ts';
import { elapses, until } from '../../../support/real-time.ts';

const MEBIBYTE = 1024 ** 2;
const content = randomBytes(20 * MEBIBYTE + 77_000);
const modes = ['ephemeral_key_pair', 'server_proxied', 'recipient_public_key'] as const;
/** What breaks when it is trimmed, cut to ASCII, composed in another way, or taken for what is percent-encoded. */
const passwords = ['plain', 'gru\u0308n \u{1F389} я', '  between spaces  ', "UTF-8''100%25"];

let links: NodeLinks;
let browser: TestBrowser;
let folder: string;
let fileId: string;
let recipientPublicKey: string;
let phrase: string;

beforeAll(async () => {
  if (!hasBrowser) return;
  links = await openNodeLinks();
  browser = await openBrowser(links.origin);
  folder = await mkdtemp(join(tmpdir(), 'conclave-links-'));
  fileId = await links.file(content, 'Bericht „Ü“.pdf');
  phrase = links.owner.mnemonic;
  recipientPublicKey = toHex((await keyPairFrom(phrase)).publicKey);
});
afterAll(async () => {
  if (!hasBrowser) return;
  await browser[Symbol.asyncDispose]();
  await links[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function linkIn(mode: (typeof modes)[number], more: object = {}): Promise<NodeLink> {
  const recipient = mode === 'recipient_public_key' && { recipientPublicKey };
  return await links.link(fileId, { mode, ...recipient, ...more });
}

/** The server refuses a time that is over, as one of a second may be on a loaded machine. */
async function expiredLinkIn(mode: (typeof modes)[number], ms = 1_000): Promise<NodeLink> {
  const expiresAt = new Date(Date.now() + elapses(ms));
  try {
    const link = await linkIn(mode, { expiresAt: expiresAt.toISOString() });
    await until(() => Date.now() > expiresAt.getTime());
    return link;
  } catch (error) {
    if (ms > 16_000) throw error;
    return await expiredLinkIn(mode, 2 * ms);
  }
}

async function visit(url: string): Promise<Tab> {
  const tab = await browser.open();
  await tab.page.goto(url);
  return tab;
}

async function enter({ page }: Tab, into: 'password' | 'key', text: string): Promise<void> {
  await stateOf(page, into);
  await page.fill(`#${into}`, text);
  await page.keyboard.press('Enter');
}

/** By the page, from the address to the disk. */
async function byPage(
  { url }: NodeLink,
  { password, key }: { password?: string; key?: string } = {},
): Promise<Downloaded> {
  await using tab = await visit(url);
  if (password !== undefined) await enter(tab, 'password', password);
  if (key !== undefined) await enter(tab, 'key', key);
  await stateOf(tab.page, 'ready');
  const got = await downloaded(tab.page);
  await stateOf(tab.page, 'done');
  expect(tab.complaints()).toEqual([]);
  return got;
}

/** Runs in the page: what a media element asks for, and what it is told. */
async function fetchRange({
  url,
  range,
  authorization,
}: {
  url: string;
  range: string;
  authorization?: string | undefined;
}) {
  const headers = { range, ...(authorization !== undefined && { authorization }) };
  const answer = await fetch(url, { headers, cache: 'no-store' });
  const digest = await crypto.subtle.digest('SHA-256', await answer.arrayBuffer());
  return {
    status: answer.status,
    range: answer.headers.get('content-range'),
    accepts: answer.headers.get('accept-ranges'),
    length: answer.headers.get('content-length'),
    hash: Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

let opened = 0;

async function byCommand({ url }: NodeLink, env: NodeJS.ProcessEnv = {}): Promise<Run & { readonly path: string }> {
  opened += 1;
  const path = join(folder, `got-${opened}`);
  return { ...(await runCommand(Open, [url, path], { env: { HOME: folder, TMPDIR: folder, ...env } })), path };
}

describe.skipIf(!hasBrowser)('links of a real server', { tags: 'needs-program' }, () => {
  it.each(modes)('open in the page and by the command: %s', async (mode) => {
    const link = await linkIn(mode);
    const secret = mode === 'recipient_public_key' ? phrase : undefined;
    const got = await byPage(link, secret === undefined ? {} : { key: secret });
    expect([got.name, got.failure, got.bytes?.equals(content)]).toEqual(['Bericht „Ü“.pdf', null, true]);
    expect(await links.accesses(link.id)).toBe(1);
    const run = await byCommand(link, secret === undefined ? {} : { CONCLAVE_KEY: secret });
    expect([run.code, run.stderr, (await readFile(run.path)).equals(content)]).toEqual([0, '', true]);
    expect(await links.accesses(link.id)).toBe(2);
    const { hash } = new URL(link.url);
    expect(hash.length).toBe(mode === 'ephemeral_key_pair' ? 44 : 0);
    const sent = links.proxy.received();
    expect([hash !== '' && sent.includes(hash.slice(1, 20)), sent.includes(phrase.slice(0, 30))]).toEqual([
      false,
      false,
    ]);
  });

  it.each(passwords)('take the password %j', async (password) => {
    const id = await links.file(randomBytes(5_000));
    const link = await links.link(id, { password });
    await using tab = await visit(link.url);
    await enter(tab, 'password', 'wrong');
    await expect.poll(() => tab.page.locator('#alert').textContent()).toContain('not the password');
    await enter(tab, 'password', password);
    await stateOf(tab.page, 'ready');
    expect((await downloaded(tab.page)).failure).toBe(null);
    expect(tab.complaints()).toEqual([]);
    const missing = await byCommand(link, { CONCLAVE_LINK_PASSWORD: 'wrong' });
    expect([missing.code, missing.stderr]).toEqual([4, expect.stringContaining('password is wrong')]);
    const run = await byCommand(link, { CONCLAVE_LINK_PASSWORD: password });
    expect([run.stderr, run.code]).toEqual(['', 0]);
    expect(await links.accesses(link.id)).toBe(2);
    expect(JSON.stringify(links.node.log.lines)).not.toMatch(/UTF-8''|%[a-f\d]{2}/i);
  });

  it.each(modes)('go on after breaks as the one access they have: %s', async (mode) => {
    for (const way of ['page', 'command'] as const) {
      const link = await linkIn(mode, { maxAccessCount: 1, password: 'grün' });
      const secrets = { CONCLAVE_LINK_PASSWORD: 'grün', CONCLAVE_KEY: phrase };
      links.proxy.cuts.push(5 * MEBIBYTE, 6 * MEBIBYTE);
      if (way === 'page') {
        const got = await byPage(link, { password: 'grün', ...(mode === 'recipient_public_key' && { key: phrase }) });
        expect([got.failure, got.bytes?.equals(content)]).toEqual([null, true]);
      } else {
        const run = await byCommand(link, secrets);
        expect([run.stderr, run.code, (await readFile(run.path)).equals(content)]).toEqual(['', 0, true]);
      }
      expect([links.proxy.cuts, await links.accesses(link.id)]).toEqual([[], 1]);
      await using second = await visit(link.url);
      await stateOf(second.page, 'failed');
      expect(await titleOf(second.page)).toBe('This link does not work');
      expect((await byCommand(link, secrets)).code).toBe(6);
    }
  });

  it('open what the server cannot decrypt', async () => {
    const link = await links.sealedLink(content, 'Geheim.pdf');
    const got = await byPage(link);
    expect([got.name, got.bytes?.equals(content)]).toEqual(['Geheim.pdf', true]);
    const run = await byCommand(link);
    expect([run.stdout, (await readFile(run.path)).equals(content)]).toEqual([
      expect.stringContaining('Every part is as it was sealed.'),
      true,
    ]);
    expect(await links.accesses(link.id)).toBe(2);
  });

  it('open in the page what was sealed here, and the server never has a byte of it, nor a key', async () => {
    const sentence = 'The treaty of the seven towns is signed at midnight. ';
    const secret = Buffer.concat([Buffer.from(sentence.repeat(20)), randomBytes(9 * MEBIBYTE)]);
    const before = links.proxy.received().length;
    const { secrets, ...link } = await links.sealedLink(secret, 'Vertrag.pdf');
    const got = await byPage(link);
    expect([got.name, got.bytes?.equals(secret)]).toEqual(['Vertrag.pdf', true]);
    const wanted = new Map([
      ...secrets,
      ['the plaintext', Buffer.from(sentence)] as const,
      ['a part of the first chunk', secret.subarray(5 * MEBIBYTE, 5 * MEBIBYTE + 40)] as const,
      ['a part of the last chunk', secret.subarray(-40)] as const,
    ]);
    expect(wanted.size).toBe(8);
    const received = Buffer.from(links.proxy.received().slice(before), 'latin1');
    const stored = await storedBytes(links.node.dataDir);
    const places = new Map<string, Uint8Array>([
      ['what was sent', received],
      ['the log', Buffer.from(JSON.stringify(links.node.log.lines))],
      ...stored,
    ]);
    for (const [place, bytes] of places) expect([place, foundIn(bytes, wanted)]).toEqual([place, []]);
    // The search looked where the file went: its ciphertext came by, and lies in blocks.
    expect(received.length).toBeGreaterThan(secret.length);
    const blocks = [...stored].filter(([place]) => place.startsWith('blocks/') && !place.startsWith('blocks/tmp'));
    const lengths = blocks.map(([, { length }]) => length);
    expect(lengths.filter((length) => length > 8 * MEBIBYTE).length).toBeGreaterThan(0);
    expect(received.includes('Vertrag.pdf')).toBe(true);
    const { hash } = new URL(link.url);
    expect(foundIn(Buffer.from(hash), wanted)).toEqual(['the key of the link']);
  });

  it.each(modes)('say why they open no more: %s', async (mode) => {
    const revoked = await linkIn(mode);
    await links.call('DELETE', `/share/link/${revoked.id}`);
    const expired = await expiredLinkIn(mode);
    const id = await links.file(randomBytes(5_000));
    const recipient = mode === 'recipient_public_key' && { recipientPublicKey };
    const destroyed = await links.link(id, { mode, ...recipient });
    const closed = await links.link(id, { mode, ...recipient, password: 'x' });
    await links.call('POST', `/destroy/${id}`, {});
    for (const [link, title, words] of [
      [revoked, 'This link was withdrawn', 'revoked'],
      [expired, 'This link does not work', 'There is no such link'],
      [destroyed, 'This file no longer exists', 'destroyed'],
      [closed, 'This link was withdrawn', 'revoked'],
    ] as const) {
      await using tab = await visit(link.url);
      await stateOf(tab.page, 'failed');
      expect(await titleOf(tab.page)).toBe(title);
      const run = await byCommand(link);
      expect([run.code, run.stderr]).toEqual([6, expect.stringContaining(words)]);
    }
  });

  it('end a download that is running when they are revoked', async () => {
    const link = await linkIn('ephemeral_key_pair');
    await using tab = await visit(link.url);
    await stateOf(tab.page, 'ready');
    links.proxy.cuts.push(5 * MEBIBYTE);
    const over = downloaded(tab.page);
    await expect.poll(() => links.proxy.cuts.length).toBe(0);
    await links.revoke(link);
    expect((await over).failure).not.toBe(null);
    await stateOf(tab.page, 'failed');
    expect(await titleOf(tab.page)).toBe('This link was withdrawn');
  });

  it('answer with headers that keep them secret', async () => {
    const link = await linkIn('server_proxied');
    const api = link.url.replace('/s/', '/filevault/share/link/');
    const common = { 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' };
    const csp = expect.stringMatching(/^default-src 'none'/);
    for (const [url, headers] of [
      [link.url, { ...common, 'cache-control': 'no-store', 'content-security-policy': csp }],
      [`${api}?content=false`, { ...common, 'cache-control': 'no-store' }],
      [
        `${api}/content`,
        {
          ...common,
          'content-security-policy': expect.stringContaining('sandbox'),
          'cache-control': expect.stringMatching(/no-store|private/),
          'content-disposition': expect.stringMatching(/^attachment/),
          'x-share-grant': expect.any(String),
        },
      ],
      [`${links.origin}/s/page.js`, { ...common, 'content-security-policy': csp }],
    ] as const) {
      const answer = await fetch(url);
      expect(Object.fromEntries(answer.headers), url.replace(/\/[\w-]{43}/, '/…')).toMatchObject(headers);
      await answer.arrayBuffer();
    }
  });

  it('and downloads seek as a video does, and curl goes on where it was', async () => {
    const link = await linkIn('server_proxied');
    const direct = `${link.url.replace('/s/', '/filevault/share/link/')}/content`;
    const ordinary = `${links.origin}/filevault/files/${fileId}`;
    const bearer = `Bearer ${links.owner.token}`;
    const size = content.length;
    // First from the beginning, without an end; then near the end, where some formats have their index; then into the middle.
    const seeks = ['bytes=0-', `bytes=${size - 70_000}-`, `bytes=${9 * MEBIBYTE + 5}-`, `bytes=${size - 1}-`];
    await using tab = await visit(link.url);
    await stateOf(tab.page, 'ready');
    for (const range of seeks) {
      const start = Number(/\d+/.exec(range)?.[0]);
      const wanted = {
        status: 206,
        range: `bytes ${start}-${size - 1}/${size}`,
        accepts: 'bytes',
        length: String(size - start),
        hash: sha256(content.subarray(start)),
      };
      for (const [url, authorization] of [
        [direct, undefined],
        [ordinary, bearer],
      ] as const) {
        const inBrowser = await tab.page.evaluate(fetchRange, { url, range, authorization });
        expect([url === direct, range, inBrowser]).toEqual([url === direct, range, wanted]);
      }
    }
    // A player looks no further than it needs, and hangs up.
    const begun = new AbortController();
    const first = await fetch(direct, { headers: { range: 'bytes=0-' }, signal: begun.signal });
    expect(first.status).toBe(206);
    begun.abort();
    for (const [at, url, more] of [
      [0, direct, []],
      [1, ordinary, ['-H', `authorization: ${bearer}`]],
    ] as const) {
      const path = join(folder, `curl-${at}`);
      await writeFile(path, content.subarray(0, 11 * MEBIBYTE + 3));
      const curl = async (...flags: string[]) =>
        await execa('curl', ['-sS', ...flags, '-C', '-', '-o', path, ...more, url], { reject: false });
      const before = links.proxy.received().length;
      expect(await curl('--fail')).toMatchObject({ exitCode: 0, stderr: '' });
      expect((await readFile(path)).equals(content)).toBe(true);
      expect(links.proxy.received().slice(before)).toContain(`Range: bytes=${11 * MEBIBYTE + 3}-`);
      // Of a whole file nothing is left: the answer is 416, and its Content-Range says so. Older versions take that for a failure with --fail.
      expect(await curl()).toMatchObject({ exitCode: 0, stderr: '' });
      expect((await readFile(path)).equals(content)).toBe(true);
    }
    expect(tab.complaints()).toEqual([]);
  });

  it('say when too many passwords were tried', async () => {
    const link = await linkIn('server_proxied', { password: 'right' });
    await using tab = await visit(link.url);
    for (let tries = 0; tries < 11; tries += 1) {
      await stateOf(tab.page, 'password');
      await tab.page.fill('#password', `wrong ${tries}`);
      await Promise.all([tab.page.waitForResponse(/content=false/), tab.page.keyboard.press('Enter')]);
    }
    await expect.poll(() => tab.page.locator('#alert').textContent()).toMatch(/^The server answers again in /);
    const run = await byCommand(link, { CONCLAVE_LINK_PASSWORD: 'right' });
    expect([run.code, run.stderr]).toEqual([9, expect.stringContaining('again')]);
  });
});
