import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHUNK, sealedLength } from '../../../../src/crypto/formats/file-content/chunk-format.ts';
import { addressOfLink, askAbout } from '../../../../src/http/pages/share-page/link-api.ts';
import { fromBase64Text, type Octets } from '../../../../src/http/pages/share-page/octets.ts';
import { openContent } from '../../../../src/http/pages/share-page/opening.ts';
import { beginTransfer, type Told } from '../../../../src/http/pages/share-page/transfer.ts';
import { openLinkServer, type LinkServer, type Share, type Shared } from './link-server.ts';
import { staysSo } from '../../../support/real-time.ts';

let server: LinkServer;
const chunkSize = 65_536;
const content = randomBytes(5 * chunkSize + 1_000);
/** The whole transfer has to be given up soon where a test wants that. */
const patience = { silence: 2_000, whole: 300, pause: 5 };

beforeAll(async () => {
  server = await openLinkServer(async () => new Response('', { status: 404 }));
});
afterAll(() => server[Symbol.asyncDispose]());

interface Result {
  readonly bytes: Buffer;
  /** how the stream ended */
  readonly end: 'closed' | 'error';
  readonly told: readonly Told[];
}

/** What the page and its worker do with a link, without a browser. @throws LinkFailure */
async function transfer(
  shared: Shared,
  more: { grant?: string; password?: string; signal?: AbortSignal } = {},
): Promise<Result> {
  const { hash, href } = new URL(shared.url);
  const link = addressOfLink(href, href.split('#')[0]!.split('/').at(-1)!);
  const info = await askAbout(link, more.password);
  const opened =
    hash === '' ? undefined : await openContent(info, fromBase64Text(hash.slice(1)) as Octets, 'key-wrong');
  const told: Told[] = [];
  const wanted = {
    url: `${link}/content`,
    password: more.password,
    name: 'x',
    size: info.sizeBytes,
    sent: opened === undefined ? info.sizeBytes : info.sealedBytes,
    opened,
    grant: more.grant,
  };
  const stream = await beginTransfer(wanted, {
    signal: more.signal ?? new AbortController().signal,
    tell: (one) => told.push(one),
    patience,
  });
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of stream as unknown as AsyncIterable<Uint8Array>) pieces.push(piece);
    return { bytes: Buffer.concat(pieces), end: 'closed', told };
  } catch {
    return { bytes: Buffer.concat(pieces), end: 'error', told };
  }
}

async function share(more: Partial<Share> = {}): Promise<Shared> {
  return await server.share({ content, chunkSize, ...more });
}

/** What a transfer that begins nothing says. */
async function refusal(transferring: Promise<unknown>): Promise<unknown> {
  return await transferring.then(
    () => 'none',
    (error: unknown) => (error as { failed?: unknown }).failed,
  );
}

describe('a transfer', () => {
  it.each([1, 16_383, 16_384, 16_385, chunkSize - 1, chunkSize, chunkSize + 1, 3 * chunkSize, content.length])(
    'gives out %i bytes as they were',
    async (size) => {
      for (const mode of ['ephemeral_key_pair', 'server_proxied'] as const) {
        const plain = content.subarray(0, size);
        const { bytes, end, told } = await transfer(await share({ content: plain, mode }));
        expect([end, bytes.equals(plain), told.at(-1)]).toEqual([
          'closed',
          true,
          { state: 'done', done: size, grant: expect.stringMatching(/^[0-9a-f]{32}$/) },
        ]);
      }
    },
  );

  it('goes on where a connection broke, as the same access', async () => {
    for (const mode of ['ephemeral_key_pair', 'server_proxied'] as const) {
      const shared = await share({ mode, accesses: 1 });
      shared.cuts.push(100_000, 200_000, 300_000);
      const { bytes, end, told } = await transfer(shared);
      expect([end, bytes.equals(content), shared.accesses]).toEqual(['closed', true, 1]);
      expect(told.map(({ state }) => state)).toEqual(expect.arrayContaining(['waiting', 'moving', 'done']));
      // The link is used up, and only the grant still opens it.
      expect(await refusal(transfer(shared))).toEqual({ kind: 'not-found' });
    }
  });

  it('is given up when the server stays away, and never ends as if it were whole', async () => {
    const shared = await share();
    shared.cuts.push(...Array<number>(2_000).fill(150_000));
    const { bytes, end, told } = await transfer(shared);
    expect([end, told.at(-1)?.failed]).toEqual(['error', { kind: 'network' }]);
    expect(content.subarray(0, bytes.length).equals(bytes)).toBe(true);
    expect(bytes.length).toBeLessThan(150_000);
  });

  it.each([
    ['salt', sealedLength(chunkSize) + 3],
    ['commitment', sealedLength(chunkSize) + 30],
    ['segment', sealedLength(chunkSize) + CHUNK.headerBytes + 20_000],
    ['tag of the last, empty segment', sealedLength(chunkSize) - 1],
  ])('ends with an error where a byte of a %s is wrong', async (_, at) => {
    const shared = await share();
    shared.damage.push(at);
    const { bytes, end, told } = await transfer(shared);
    expect([end, told.at(-1)?.failed]).toEqual(['error', { kind: 'damaged' }]);
    expect(content.subarray(0, bytes.length).equals(bytes)).toBe(true);
  });

  it('begins nothing where the first bytes are wrong', async () => {
    const shared = await share();
    shared.damage.push(100);
    expect(await refusal(transfer(shared))).toEqual({ kind: 'damaged' });
  });

  it('goes no further than its reader', async () => {
    const size = 40 * 1024 ** 2;
    const shared = await server.share({
      content: { size, block: (_, length) => new Uint8Array(length) },
      chunkSize: 1024 ** 2,
    });
    const { href, hash } = new URL(shared.url);
    const link = addressOfLink(href, href.split('#')[0]!.split('/').at(-1)!);
    const info = await askAbout(link, undefined);
    const opened = await openContent(info, fromBase64Text(hash.slice(1)) as Octets, 'key-wrong');
    const told: Told[] = [];
    const stop = new AbortController();
    const wanted = {
      url: `${link}/content`,
      password: undefined,
      name: 'x',
      size,
      sent: info.sealedBytes,
      opened,
      grant: undefined,
    };
    const stream = await beginTransfer(wanted, { signal: stop.signal, tell: (one) => told.push(one) });
    const reader = stream.getReader();
    await reader.read();
    await expect.poll(() => shared.sent).toBeGreaterThan(1024 ** 2);
    // What is on the way in sockets and streams comes on top of two pieces.
    await staysSo(() => expect(shared.sent).toBeLessThan(size / 2), 300);
    stop.abort();
    await expect(reader.read().then(async () => await reader.read())).rejects.toThrow('cancelled');
    expect(told.at(-1)).toMatchObject({ state: 'failed', failed: { kind: 'cancelled' } });
  });

  it('takes what the server says for what it is', async () => {
    const shared = await share({ password: 'grün 🎉' });
    expect(await refusal(transfer(shared))).toEqual({ kind: 'password-required' });
    expect(await refusal(transfer(shared, { password: 'grun' }))).toEqual({ kind: 'password-wrong' });
    // Composed or not, it is the same text.
    expect((await transfer(shared, { password: 'gru\u0308n 🎉' })).end).toBe('closed');
    for (let tries = 0; tries < 2; tries += 1) await refusal(transfer(shared, { password: 'no' }));
    expect(await refusal(transfer(shared, { password: 'no' }))).toEqual({ kind: 'too-many', retryAfterSeconds: 40 });
    shared.state = 'revoked';
    expect(await refusal(transfer(shared))).toEqual({ kind: 'revoked' });
    shared.state = 'destroyed';
    expect(await refusal(transfer(shared))).toEqual({ kind: 'destroyed' });
  });

  it('refuses a key of another link, and a size that is not the manifest’s', async () => {
    const [one, other] = [await share(), await share()];
    const mixed = { ...one, url: one.url.replace(/#.*/, '') + new URL(other.url).hash };
    expect(await refusal(transfer(mixed))).toEqual({ kind: 'key-wrong' });
    const link = addressOfLink(one.url, one.url.split('#')[0]!.split('/').at(-1)!);
    const info = await askAbout(link, undefined);
    const key = (): Octets => fromBase64Text(new URL(one.url).hash.slice(1)) as Octets;
    for (const wrong of [
      { sizeBytes: 5 },
      { sealedBytes: 5 },
      { contentId: 'x' },
      { manifest: 'AAAA' },
      { wrappedKey: '0g' },
      { id: 'x' },
    ])
      expect(await refusal(openContent({ ...info, ...wrong }, key(), 'key-wrong'))).toEqual({ kind: 'damaged' });
    // The bytes of the key are gone once they were used.
    const used = key();
    await openContent(info, used, 'key-wrong');
    expect(used.every((byte) => byte === 0)).toBe(true);
  });
});
