import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { deriveIdentity } from '../../../../src/crypto/identity.ts';
import { generateKeyPair } from '../../../../src/crypto/key-pair.ts';
import { generateMnemonic, mnemonicToSeed } from '../../../../src/crypto/mnemonic.ts';
import { openHouse, type House } from '../../../support/house.ts';
import { inStage, soak } from '../../../support/stage.ts';
import { hasBrowser, openBrowser, type Tab, type TestBrowser } from './browser.ts';
import { downloaded, stateOf } from './driving.ts';
import { openLinkServer, type LinkServer, type Share, type Shared } from './link-server.ts';

const chunkSize = 1024 ** 2;
const content = randomBytes(3 * chunkSize + 77_000);

// One server and one browser are parameters of everything below.
let house: House;
let server: LinkServer;
let browser: TestBrowser;

beforeAll(async () => {
  if (!hasBrowser) return;
  house = await openHouse('sqljs');
  server = await openLinkServer(house.fetch);
  browser = await openBrowser(server.origin);
});
afterAll(async () => {
  if (!hasBrowser) return;
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await house[Symbol.asyncDispose]();
});

async function share(more: Partial<Share> = {}): Promise<Shared> {
  return await server.share({ content, chunkSize, ...more });
}

async function visit(url: string, options?: Parameters<TestBrowser['open']>[0]): Promise<Tab> {
  const tab = await browser.open(options);
  await tab.page.goto(url);
  return tab;
}

describe.skipIf(!hasBrowser)('check 32, the page of a share link', { tags: 'needs-program' }, () => {
  it('decrypts into a download, forgets the fragment, and asks nobody else', async () => {
    const shared = await share({ name: 'Bericht „Ü“ 2026.pdf' });
    const before = server.requests.length;
    await using tab = await visit(shared.url);
    await stateOf(tab.page, 'ready');
    expect(tab.page.url()).toBe(shared.url.split('#')[0]);
    expect(await tab.page.evaluate('history.length')).toBe(2);
    expect(shared.accesses).toBe(0);
    const { name, failure, bytes } = await downloaded(tab.page);
    expect([name, failure, bytes?.equals(content)]).toEqual(['Bericht „Ü“ 2026.pdf', null, true]);
    await stateOf(tab.page, 'done');
    expect(tab.complaints()).toEqual([]);
    const key = new URL(shared.url).hash.slice(1);
    expect(JSON.stringify([server.requests.slice(before), server.heads.slice(before)])).not.toContain(key.slice(0, 20));
    expect(shared.accesses).toBe(1);
  });

  it('comes with a strict policy, and is kept by no cache', async () => {
    const { url } = await share();
    const answer = await fetch(url);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    const html = await answer.text();
    // Nothing in the page itself runs or paints.
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|https?:/);
    for (const [asset, type] of [
      ['page.js', 'text/javascript'],
      ['worker.js', 'text/javascript'],
      ['page.css', 'text/css'],
    ] as const) {
      const first = await fetch(`${server.origin}/s/${asset}`);
      expect([first.status, first.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
      const etag = first.headers.get('etag') ?? '';
      const again = await fetch(`${server.origin}/s/${asset}`, { headers: { 'if-none-match': etag } });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
  });

  it('downloads what the server decrypts', { tags: soak }, async () => {
    await using tab = await visit((await share({ mode: 'server_proxied' })).url);
    expect((await downloaded(tab.page)).bytes?.equals(content)).toBe(true);
    expect(tab.complaints()).toEqual([]);
  });

  it('asks for a password, says when it is wrong, and shows nothing of the file before', async () => {
    const shared = await share({ password: 'grün 🎉', name: 'secret-name.pdf' });
    await using tab = await visit(shared.url);
    const { page } = tab;
    await stateOf(page, 'password');
    expect(await page.evaluate('document.activeElement.id')).toBe('password');
    expect(await page.content()).not.toContain('secret-name');
    await page.keyboard.type('blau');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.locator('#alert').textContent())
      .toBe('That was not the password. Check it and try again.');
    expect(await page.evaluate('document.activeElement.id')).toBe('password');
    await page.keyboard.insertText('grün 🎉');
    await page.keyboard.press('Enter');
    await stateOf(page, 'ready');
    expect(await page.evaluate('document.activeElement.id')).toBe('download');
    expect((await downloaded(page)).bytes?.equals(content)).toBe(true);
    // Of four tries the stand-in answers the fourth with a pause.
    await page.goto('about:blank');
    await page.goto(shared.url);
    for (const wrong of ['a', 'b', 'c']) {
      await stateOf(page, 'password');
      await page.fill('#password', wrong);
      await Promise.all([page.waitForResponse(/content=false/), page.keyboard.press('Enter')]);
    }
    await expect.poll(() => page.locator('#alert').textContent()).toBe('The server answers again in 40 seconds.');
    expect(tab.complaints()).toEqual([]);
  });

  it('takes the phrase or the key of a recipient, and sends neither', async () => {
    const phrase = generateMnemonic(12);
    const { publicKey, privateKey } = deriveIdentity(await mnemonicToSeed(phrase));
    const shared = await share({ mode: 'recipient_public_key', recipientPublicKey: publicKey });
    const before = server.requests.length;
    await using tab = await visit(shared.url);
    const { page } = tab;
    await stateOf(page, 'key');
    const enter = async (text: string) => {
      await page.fill('#key', text);
      await page.keyboard.press('Enter');
    };
    await enter('no key at all');
    await expect
      .poll(() => page.locator('#alert').textContent())
      .toContain('neither a recovery phrase nor a private key');
    await enter(toHex(generateKeyPair().privateKey));
    await expect.poll(() => page.locator('#alert').textContent()).toContain('belongs to somebody else');
    await enter(phrase);
    await stateOf(page, 'ready');
    expect((await downloaded(page)).bytes?.equals(content)).toBe(true);
    await using other = await visit(shared.url);
    await other.page.fill('#key', toHex(privateKey));
    await other.page.keyboard.press('Enter');
    await stateOf(other.page, 'ready');
    const sent = JSON.stringify([server.requests.slice(before), server.heads.slice(before)]);
    // One word alone, such as "agent", is in what every browser sends. Several are not, however they are joined.
    const words = (text: string): string => ` ${text.replaceAll(/%20|[^a-z]+/gi, ' ')} `;
    const some = phrase.split(' ').slice(0, 3).join(' ');
    expect([sent.includes(toHex(privateKey)), words(sent).includes(some)]).toEqual([false, false]);
    expect([tab.complaints(), other.complaints()]).toEqual([[], []]);
  });

  it('ends a download as failed where a later byte is wrong, and says so', async () => {
    const shared = await share();
    shared.damage.push(2 * chunkSize + 500_000);
    await using tab = await visit(shared.url);
    const { failure } = await downloaded(tab.page);
    expect(failure).not.toBeNull();
    await stateOf(tab.page, 'failed');
    expect(await tab.page.locator('h1').textContent()).toBe('The file is damaged');
    // What is right at the next try is had with the same access.
    shared.damage.length = 0;
    const [download] = await Promise.all([tab.page.waitForEvent('download'), tab.page.click('#again')]);
    expect([await download.failure(), shared.accesses]).toEqual([null, 1]);
    await stateOf(tab.page, 'done');
  });

  it('begins no download where the first bytes are wrong', { tags: soak }, async () => {
    const shared = await share();
    shared.damage.push(60);
    await using tab = await visit(shared.url);
    let begun = 0;
    tab.page.on('download', () => (begun += 1));
    await tab.page.click('#download');
    await stateOf(tab.page, 'failed');
    expect(begun).toBe(0);
  });

  it('goes on after a break of the connection, also of a link that opens once', { tags: soak }, async () => {
    const shared = await share({ accesses: 1 });
    shared.cuts.push(chunkSize, 2 * chunkSize);
    await using tab = await visit(shared.url);
    // The browser has a download once it has the first chunk; before that, a person may as well try again.
    const begun = tab.page.waitForEvent('download');
    shared.mayCut = async () => await begun;
    const { failure, bytes } = await downloaded(tab.page);
    expect([failure, bytes?.equals(content), shared.accesses, shared.cuts]).toEqual([null, true, 1, []]);
    await using second = await visit(shared.url);
    await stateOf(second.page, 'failed');
    expect(await second.page.locator('h1').textContent()).toBe('This link does not work');
    expect(tab.complaints()).toEqual([]);
  });

  it('stops when the person cancels, and the download is not a finished one', { tags: soak }, async () => {
    const shared = await share();
    shared.slow = 500;
    await using tab = await visit(shared.url);
    const { failure } = await downloaded(tab.page, async () => await tab.page.click('#cancel'));
    expect(failure).not.toBeNull();
    await stateOf(tab.page, 'ready');
    expect(await tab.page.locator('#status').textContent()).toBe('You stopped the download.');
    shared.slow = 0;
    expect((await downloaded(tab.page)).bytes?.equals(content)).toBe(true);
  });

  const ended = [
    ['revoked', 'This link was withdrawn'],
    ['destroyed', 'This file no longer exists'],
  ] as const;

  it.each(ended.slice(0, inStage(1, 1, 2)))('says that a link is %s', async (how, title) => {
    const shared = await share();
    shared.state = how;
    await using tab = await visit(shared.url);
    await stateOf(tab.page, 'failed');
    expect(await tab.page.locator('h1').textContent()).toBe(title);
  });

  it('says what is missing of a link, and takes the whole one in the same tab', { tags: soak }, async () => {
    const shared = await share();
    const bare = shared.url.split('#')[0] ?? '';
    await using tab = await visit(bare);
    const { page } = tab;
    await stateOf(page, 'failed');
    expect(await page.locator('h1').textContent()).toBe('A part of the link is missing');
    await page.goto(`${bare}#${Buffer.from(generateKeyPair().privateKey).toString('base64url')}`);
    await expect.poll(() => page.locator('h1').textContent()).toBe('The link is not complete');
    await page.goto(shared.url);
    await stateOf(page, 'ready');
    expect(page.url()).toBe(bare);
    await page.goto(`${server.origin}/s/${'0'.repeat(48)}#x`);
    await expect.poll(() => page.locator('h1').textContent()).toBe('This link does not work');
    expect(tab.complaints()).toEqual([]);
  });

  it('shows the name of a file as text, and saves it under a safe one', async () => {
    const name = '\u202Egpj.<img src=x onerror=alert(1)>\u0007../../etc.exe';
    await using tab = await visit((await share({ name })).url);
    await stateOf(tab.page, 'ready');
    expect(await tab.page.locator('h1').textContent()).toBe(name);
    expect(await tab.page.locator('h1 img').count()).toBe(0);
    expect((await downloaded(tab.page)).name).toBe('etc.exe');
    expect(tab.complaints()).toEqual([]);
  });

  it('works without a worker: into memory, and for large files it says what to do', { tags: soak }, async () => {
    const without = 'delete Navigator.prototype.serviceWorker; delete window.showSaveFilePicker;';
    await using tab = await browser.open();
    await tab.context.addInitScript(without);
    await tab.page.goto((await share()).url);
    expect((await downloaded(tab.page)).bytes?.equals(content)).toBe(true);
    await stateOf(tab.page, 'done');
    const large = await share({
      content: { size: 101_000_000, block: (_, length) => new Uint8Array(length) },
      chunkSize: 8 * chunkSize,
    });
    await tab.page.goto(large.url);
    await stateOf(tab.page, 'failed');
    expect(await tab.page.locator('h1').textContent()).toBe('This browser cannot save a file of this size');
    const damaged = await share();
    damaged.damage.push(3 * chunkSize);
    await tab.page.goto(damaged.url);
    await tab.page.click('#download');
    await stateOf(tab.page, 'failed');
    expect(tab.complaints()).toEqual([]);
  });

  it('says that it needs a secure connection, and JavaScript', { tags: soak }, async () => {
    await using tab = await browser.open();
    await tab.context.addInitScript("Object.defineProperty(window, 'isSecureContext', { value: false });");
    await tab.page.goto((await share()).url);
    await stateOf(tab.page, 'failed');
    expect(await tab.page.locator('#alert').textContent()).toContain('https://');
    await using plain = await visit((await share()).url, { javaScriptEnabled: false });
    // Its parser saw no scripting, so what is in noscript is a part of the page.
    expect(await plain.page.locator('noscript').textContent()).toContain('conclave files open LINK');
  });

  it('is right for a screen reader', { tags: soak }, async () => {
    const { url } = await share({ password: 'x', name: 'photo.jpg', type: 'image/jpeg' });
    await using tab = await visit(url);
    const { page } = tab;
    await stateOf(page, 'password');
    expect(await page.locator('main').ariaSnapshot()).toBe(
      [
        '- main:',
        '  - heading "This file has a password" [level=1]',
        '  - paragraph: You get it from the person who sent you the link.',
        '  - alert',
        '  - text: Password',
        '  - textbox "Password"',
        '  - button "Show"',
        '  - button "Open"',
        '  - status',
      ].join('\n'),
    );
    await page.fill('#password', 'x');
    await page.keyboard.press('Enter');
    await stateOf(page, 'ready');
    expect(await page.locator('main').ariaSnapshot()).toContain('- heading "photo.jpg" [level=1]');
    expect(await page.locator('main').ariaSnapshot()).toContain('- button "Download"');
    expect(await page.locator('h1').count()).toBe(1);
  });

  it.each([
    [375, 'light'],
    [375, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('fits %i pixels and is readable, %s', { tags: soak }, async (width, colorScheme) => {
    await using tab = await visit((await share({ name: `${'long-name-'.repeat(20)}.pdf` })).url, {
      viewport: { width, height: 700 },
      colorScheme,
    });
    await stateOf(tab.page, 'ready');
    const wide = await tab.page.evaluate('document.documentElement.scrollWidth');
    expect(wide).toBe(width);
    // As at a zoom of 200 %.
    await tab.page.setViewportSize({ width: Math.floor(width / 2), height: 350 });
    if (width === 1280) expect(await tab.page.evaluate('document.documentElement.scrollWidth')).toBe(width / 2);
    const contrasts = await tab.page.evaluate<{ text: string; ratio: number }[]>(contrastsOnPage);
    expect(contrasts.length).toBeGreaterThan(5);
    expect(contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
  });
});

/** Runs in the page: the contrast of each text with what is behind it, by WCAG 2. */
const contrastsOnPage = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const color = getComputedStyle(one).backgroundColor;
      const [r, g, b, a = 1] = channels(color);
      if (color.startsWith('rgb') && a === 1) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll('h1, p, span, button, label, code')) {
    if (!element.offsetParent || ![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const [one, other] = [luminance(channels(getComputedStyle(element).color)), luminance(behind(element))];
    found.push({ text: element.textContent.trim().slice(0, 40), ratio: (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) });
  }
  return found;
})()`;
