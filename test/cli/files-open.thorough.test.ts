import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import Open from '../../commands/files/open.ts';
import { askLink } from '../../src/cli/files/links/open-keys.ts';
import { openLinkCaller } from '../../src/cli/files/links/open-caller.ts';
import { receiveLink, targetOf } from '../../src/cli/files/links/open-link.ts';
import { toHex } from '../../src/crypto/bytes.ts';
import { sealedLength } from '../../src/crypto/formats/file-content/chunked-encryption.ts';
import { deriveIdentity } from '../../src/crypto/identity.ts';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import { generateMnemonic, mnemonicToSeed } from '../../src/crypto/mnemonic.ts';
import { openLinkServer, type LinkServer, type Share, type Shared } from '../http/pages/share-page/link-server.ts';
import { runCommand, type Run, type RunOptions } from './run-command.ts';
import { inStage } from '../support/stage.ts';

const chunkSize = 65_536;
const content = randomBytes(4 * chunkSize + 5_000);
let server: LinkServer;
let folder: string;
let to: string;

beforeAll(async () => {
  server = await openLinkServer(async () => new Response('', { status: 404 }));
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conclave-open-'));
  to = join(folder, 'got');
  return async () => await rm(folder, { recursive: true });
});

async function share(more: Partial<Share> = {}): Promise<Shared> {
  return await server.share({ content, chunkSize, ...more });
}

async function open(url: string, where = to, more: readonly string[] = [], options: RunOptions = {}): Promise<Run> {
  return await runCommand(Open, [url, where, ...more], {
    ...options,
    env: { HOME: folder, TMPDIR: folder, ...options.env },
  });
}

const said = ({ code, stderr }: Run): [number, string] => [code, stderr];

/** The same without pauses before it tries again, and with few tries. */
async function receive(shared: Shared, where = to, env: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const terminal = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env };
  const { caller, key } = await openLinkCaller(shared.url, { userAgent: 'test', ca: undefined });
  const asked = await askLink(terminal, caller, key, {}, async () => undefined);
  return await receiveLink(terminal, asked, await targetOf(where, caller), { tries: 1, pause: 1 });
}

describe('conclave files open', () => {
  it('decrypts and verifies a file, without the page and without an account', async () => {
    const before = server.requests.length;
    const shared = await share({ name: 'report.pdf' });
    const run = await open(shared.url, folder);
    expect([run.code, run.stdout, run.stderr]).toEqual([
      0,
      `Received ${join(folder, 'report.pdf')}, 261 KiB. Every part is as it was sealed.\n`,
      '',
    ]);
    expect((await readFile(join(folder, 'report.pdf'))).equals(content)).toBe(true);
    expect((await stat(join(folder, 'report.pdf'))).mode & 0o077).toBe(0);
    expect(await readdir(folder)).toEqual(['report.pdf']);
    const asked = server.requests.slice(before);
    expect(asked).toEqual([expect.stringContaining('?content=false'), expect.stringMatching(/\/content$/)]);
    const again = await open(shared.url, join(folder, 'report.pdf'));
    expect(said(again)).toEqual([7, expect.stringContaining('exists already')]);
    expect(shared.accesses).toBe(1);
  });

  it.each(inStage([1, 16_384], [1, 16_384], [1, 16_384, chunkSize, 2 * chunkSize]))(
    'gets %i bytes, sealed or not',
    async (size) => {
      for (const mode of ['ephemeral_key_pair', 'server_proxied'] as const) {
        const shared = await share({ content: content.subarray(0, size), mode });
        const run = await open(shared.url, `${to}-${mode}`, ['--json']);
        expect(run.json()).toEqual({ path: `${to}-${mode}`, sizeBytes: size, verified: mode !== 'server_proxied' });
        expect((await readFile(`${to}-${mode}`)).equals(content.subarray(0, size))).toBe(true);
      }
    },
  );

  it('takes nothing unverified where the link has a key', async () => {
    const shared = await share({ mode: 'server_proxied' });
    const run = await open(`${shared.url}#${Buffer.alloc(32, 7).toString('base64url')}`);
    expect(said(run)).toEqual([8, expect.stringContaining('key')]);
    expect(await readdir(folder)).toEqual([]);
    expect(shared.accesses).toBe(0);
  });

  it('takes the link from standard input, and writes to standard output', async () => {
    const shared = await share({ content: Buffer.from('a letter\n') });
    expect((await open('-', '-', [], { stdin: `${shared.url}\n` })).stdout).toBe('a letter\n');
  });

  it('asks for a password, until it is right', async () => {
    const shared = await share({ password: 'grün 🎉' });
    const run = await open(shared.url, to, [], {
      person: [
        ['Password of the link', 'blau'],
        ['That was not the password', 'grün 🎉'],
      ],
    });
    expect([run.code, run.stderr.includes('grün')]).toEqual([0, false]);
    const file = join(folder, 'password');
    await writeFile(file, 'grün 🎉\n');
    expect((await open(shared.url, `${to}-2`, ['--password-file', file])).code).toBe(0);
    expect((await open(shared.url, `${to}-3`, [], { env: { CONCLAVE_LINK_PASSWORD: 'grün 🎉' } })).code).toBe(0);
    expect(said(await open(shared.url, `${to}-4`))).toEqual([2, expect.stringContaining('CONCLAVE_LINK_PASSWORD')]);
    expect(said(await open(shared.url, `${to}-4`, [], { env: { CONCLAVE_LINK_PASSWORD: 'no' } }))).toEqual([
      4,
      expect.any(String),
    ]);
  });

  it('opens what is encrypted to a member with their phrase or key, which is sent nowhere', async () => {
    const phrase = generateMnemonic(12);
    const { publicKey, privateKey } = deriveIdentity(await mnemonicToSeed(phrase));
    const shared = await share({ mode: 'recipient_public_key', recipientPublicKey: publicKey });
    const typed = await open(shared.url, to, [], { person: [['encrypted to you', phrase]] });
    expect(typed.code).toBe(0);
    const key = join(folder, 'key');
    await writeFile(key, toHex(privateKey));
    expect((await open(shared.url, `${to}-2`, ['--key-file', key])).code).toBe(0);
    expect((await readFile(`${to}-2`)).equals(content)).toBe(true);
    const another = { env: { CONCLAVE_KEY: toHex(generateKeyPair().privateKey) } };
    expect(said(await open(shared.url, `${to}-3`, [], another))).toEqual([
      2,
      expect.stringContaining('not the one that the file is encrypted to'),
    ]);
    expect(said(await open(shared.url, `${to}-3`, [], { env: { CONCLAVE_KEY: 'x' } }))).toEqual([
      2,
      expect.stringContaining('not a recovery phrase'),
    ]);
    expect(said(await open(shared.url, `${to}-3`))).toEqual([2, expect.stringContaining('--key-file')]);
    expect(JSON.stringify(server.heads)).not.toContain(toHex(privateKey));
  });

  it('goes on after breaks, as the same access', async () => {
    const shared = await share({ accesses: 1 });
    shared.cuts.push(70_000, 150_000);
    expect((await open(shared.url)).code).toBe(0);
    expect([shared.accesses, (await readFile(to)).equals(content)]).toEqual([1, true]);
  });

  it(
    'goes on in another process where the last whole part ended, also with a link that is used up',
    { tags: 'thorough' },
    async () => {
      for (const mode of ['ephemeral_key_pair', 'server_proxied'] as const) {
        to = join(folder, mode);
        // Parts of what the server decrypts are larger.
        const size = mode === 'server_proxied' ? 20 * 1024 ** 2 : content.length;
        const plain = mode === 'server_proxied' ? randomBytes(size) : content;
        const shared = await share({ accesses: 1, mode, content: plain });
        const cut = mode === 'server_proxied' ? 9 * 1024 ** 2 : 2 * sealedLength(chunkSize) + 100;
        const whole = mode === 'server_proxied' ? 8 * 1024 ** 2 : 2 * chunkSize;
        shared.cuts.push(...Array<number>(20).fill(cut));
        await expect(receive(shared)).rejects.toThrow('Run the same command again to continue');
        shared.cuts.length = 0;
        expect((await readdir(folder)).filter((name) => name.startsWith(mode)).toSorted()).toEqual([
          `${mode}.part`,
          `${mode}.part.log`,
        ]);
        const sentBefore = shared.sent;
        expect((await open(shared.url)).code).toBe(0);
        expect([shared.accesses, (await readFile(to)).equals(plain)]).toEqual([1, true]);
        expect(shared.sent - sentBefore).toBeLessThanOrEqual(shared.sealedBytes - whole);
        expect((await readdir(folder)).filter((name) => name.startsWith(mode))).toEqual([mode]);
      }
    },
  );

  it('goes on in a folder, where the file has no name yet, and asks for the password again', async () => {
    const shared = await share({ accesses: 1, password: 'green', name: 'report.pdf' });
    const env = { CONCLAVE_LINK_PASSWORD: 'green' };
    shared.cuts.push(...Array<number>(20).fill(2 * sealedLength(chunkSize) + 100));
    await expect(receive(shared, folder, env)).rejects.toThrow('Run the same command again');
    shared.cuts.length = 0;
    expect((await readdir(folder)).toSorted()).toEqual([
      expect.stringMatching(/^conclave-\w{16}\.part$/),
      expect.stringMatching(/\.part\.log$/),
    ]);
    expect(said(await open(shared.url, folder))).toEqual([2, expect.stringContaining('CONCLAVE_LINK_PASSWORD')]);
    const second = await open(shared.url, folder, [], { person: [['Password of the link', 'green']] });
    expect([second.code, await readdir(folder), shared.accesses]).toEqual([0, ['report.pdf'], 1]);
    expect((await readFile(join(folder, 'report.pdf'))).equals(content)).toBe(true);
  });

  it('does not go on with what was changed on the disk, or is somebody else’s', async () => {
    const shared = await share();
    const cut = 3 * sealedLength(chunkSize) + 100;
    shared.cuts.push(...Array<number>(20).fill(cut));
    await expect(receive(shared)).rejects.toMatchObject({ code: 'NETWORK' });
    shared.cuts.length = 0;
    const part = await readFile(`${to}.part`);
    part[chunkSize + 5] = (part[chunkSize + 5] ?? 0) ^ 1;
    await writeFile(`${to}.part`, part);
    const before = shared.sent;
    expect((await open(shared.url)).code).toBe(0);
    expect((await readFile(to)).equals(content)).toBe(true);
    // From the second part on
    expect(shared.sent - before).toBeGreaterThan(shared.sealedBytes - 2 * sealedLength(chunkSize));
    const victim = join(folder, 'victim');
    await writeFile(victim, 'precious');
    await symlink(victim, join(folder, 'other.part'));
    expect((await open(shared.url, join(folder, 'other'))).code).toBe(0);
    expect(await readFile(victim, 'utf8')).toBe('precious');
  });

  it.each([
    ['a salt', sealedLength(chunkSize) + 3],
    ['a commitment', sealedLength(chunkSize) + 40],
    ['a segment', sealedLength(chunkSize) + 30_000],
    ['an empty last segment', sealedLength(chunkSize) - 2],
    ['the last byte', sealedLength(4 * chunkSize) + 3 * 56 + 5_000],
  ])('leaves nothing where %s is wrong', async (_, at) => {
    const shared = await share();
    shared.damage.push(Math.min(at, shared.sealedBytes - 1));
    expect(said(await open(shared.url))).toEqual([8, expect.stringContaining('Tell the sender')]);
    expect(await readdir(folder)).toEqual([]);
    const out = await open(shared.url, '-');
    expect(out.code).toBe(8);
  });

  it('refuses links that are not whole, without repeating them', async () => {
    const { url } = await share();
    const secret = new URL(url).hash.slice(1);
    const bare = url.split('#')[0]!;
    for (const wrong of [
      bare,
      `${bare}#${secret.slice(0, 40)}`,
      'x',
      'https://a.example/t/abc',
      `ftp://a.example/s/${'a'.repeat(32)}`,
    ]) {
      const run = await open(wrong);
      expect(run.code).toBe(2);
      expect(run.stderr).not.toContain(secret.slice(0, 20));
    }
    const key = Buffer.from(generateKeyPair().privateKey).toString('base64url');
    expect(said(await open(`${bare}#${key}`))).toEqual([2, expect.stringContaining('key of another link')]);
    expect(said(await open(url.replace(/\/s\/./, '/s/_')))).toEqual([6, expect.any(String)]);
    const shared = await share();
    shared.state = 'revoked';
    expect(said(await open(shared.url))).toEqual([6, expect.any(String)]);
  });

  it('gives a file a name that is none of a path', async () => {
    const shared = await share({ content: Buffer.from('x'), name: '../../.bashrc\u202e' });
    expect((await open(shared.url, folder)).code).toBe(0);
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^bashrc/)]);
  });
});
