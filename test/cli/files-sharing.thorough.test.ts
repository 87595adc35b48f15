import { chmod, mkdir, readFile as bytesOf, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Create from '../../commands/files/create.ts';
import Link from '../../commands/files/link.ts';
import Magnet from '../../commands/files/magnet.ts';
import Open from '../../commands/files/open.ts';
import Put from '../../commands/files/put.ts';
import Share from '../../commands/files/share.ts';
import Shared from '../../commands/files/shared.ts';
import Shares from '../../commands/files/shares.ts';
import Unlink from '../../commands/files/unlink.ts';
import Unshare from '../../commands/files/unshare.ts';
import { ciphersFor } from '../../src/cli/files/ciphers.ts';
import { openClient, type Client } from '../../src/client/client.ts';
import { download } from '../../src/client/bodies.ts';
import { readFile } from '../services/filevault/client-scene.ts';
import { filevault } from '../../src/contract/filevault.ts';
import { toHex } from '../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import { fewWays, openHome, type Home } from './home.ts';
import type { Run, RunOptions } from './run-command.ts';
import { inStage } from '../support/stage.ts';

const password = 'seven green bottles';
const text = 'The treaty of the seven towns.';

interface People extends AsyncDisposable {
  readonly home: Home;
  as(name: string, command: Parameters<Home['run']>[0], argv?: readonly string[], options?: RunOptions): Promise<Run>;
  /** the bytes of a file for a member, over the API */
  read(name: string, id: string): Promise<string>;
  client(name: string): Promise<Client>;
  phrase(name: string): string;
}

/** Ada and Bob, each with sign-ins of their own; Ada's container Work has treaty.txt. */
async function people(way: Parameters<typeof openHome>[0]): Promise<People> {
  const home = await openHome(way);
  const phrases = new Map<string, string>();
  const envOf = (name: string): NodeJS.ProcessEnv => {
    const folder = join(home.folder, name);
    return { XDG_CONFIG_HOME: folder, XDG_RUNTIME_DIR: folder, TMPDIR: folder, CONCLAVE_PASSWORD: password };
  };
  const as: People['as'] = async (name, command, argv = [], { env, ...options } = {}) =>
    await home.run(command, argv, { ...options, env: { ...envOf(name), ...env } });
  const client = async (name: string): Promise<Client> =>
    await openClient({ env: { ...home.env, ...envOf(name) }, userAgent: 'test', command: 'test' });
  for (const name of ['ada', 'bob']) {
    await mkdir(join(home.folder, name));
    await chmod(join(home.folder, name), 0o700);
    const made = await as(name, Register, ['--username', name, '--email', `${name}@example.org`, '--json']);
    phrases.set(name, made.json().mnemonic);
  }
  await as('ada', Create, ['Work']);
  await as('ada', Put, [await home.file('treaty.txt', text), 'Work:']);
  return {
    home,
    as,
    phrase: (name) => phrases.get(name)!,
    client,
    async read(name, id) {
      await using caller = await client(name);
      const { body } = await download(caller, filevault.downloadFile, { id });
      return Buffer.concat(await Readable.from(body).toArray()).toString();
    },
    [Symbol.asyncDispose]: async () => await home[Symbol.asyncDispose](),
  };
}

const said = ({ code, stderr }: Run): [number, string] => [code, stderr];

describe.each(fewWays)('sharing by the way in %s', (way) => {
  it('lets a member into one file, changes the level, and ends', async () => {
    await using scene = await people(way);
    const { as } = scene;
    expect(said(await as('bob', Shared))).toEqual([0, 'Nobody shares a file with you.\n']);
    expect(said(await as('ada', Share, ['Work:/treaty.txt', 'bob@example.org']))).toEqual([
      6,
      expect.stringContaining('an e-mail address names a member only if it is verified'),
    ]);
    const shared = await as('ada', Share, ['Work:/treaty.txt', 'bob']);
    expect([shared.code, shared.stdout, shared.stderr]).toEqual([0, 'Shared treaty.txt with bob as viewer.\n', '']);
    const { shareId, ...again } = (
      await as('ada', Share, ['Work:/treaty.txt', 'bob', '--level', 'editor', '--json'])
    ).json();
    expect(again).toMatchObject({ recipient: { username: 'bob' }, permissionLevel: 'editor', clientEncrypted: false });
    const [file] = (await as('bob', Shared, ['--json'])).json().shares;
    expect(file).toMatchObject({ fileName: 'treaty.txt', fromUsername: 'ada', permissionLevel: 'editor', shareId });
    expect((await as('bob', Shared)).stdout).toMatch(
      new RegExp(`^treaty.txt\tada\teditor\t${text.length} bytes\t\\S+\t${file.fileId}\n$`),
    );
    expect(await scene.read('bob', file.fileId)).toBe(text);
    expect((await as('ada', Shares, ['Work:/treaty.txt'])).stdout).toBe(`bob\teditor\tyes\t-\t-\t${shareId}\n`);
    expect((await as('ada', Magnet, ['Work:/treaty.txt'])).stdout).toMatch(
      new RegExp(`^magnet:\\?xt=urn:conclave:${file.fileId}&dn=treaty.txt&xs=http\\S+\n$`),
    );
    const ended = await as('ada', Unshare, ['Work:/treaty.txt', 'Bob']);
    expect([ended.code, ended.stdout]).toEqual([0, 'treaty.txt is no longer shared with Bob.\n']);
    expect(ended.stderr).toContain('What they downloaded before stays with them.');
    expect((await as('bob', Shared, ['--json'])).json()).toEqual({ shares: [] });
    await expect(scene.read('bob', file.fileId)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    expect(said(await as('ada', Unshare, ['Work:/treaty.txt', 'bob']))).toEqual([
      6,
      expect.stringContaining('The file is not shared with "bob".'),
    ]);
    const audit = (await as('ada', Shares, ['Work:/treaty.txt', '--audit'])).stdout.split('\n');
    expect(audit.map((line) => line.split('\t').slice(1, 3))).toEqual([
      ['unshared', 'bob'],
      ['shared', 'bob'],
      ['shared', 'bob'],
      [],
    ]);
  });

  it('makes and revokes links', async () => {
    await using scene = await people(way);
    const { as } = scene;
    const { url, id } = (await as('ada', Link, ['Work:/treaty.txt', '--json'])).json();
    const token = new URL(url).pathname.slice('/s/'.length);
    const listed = await as('ada', Shares, ['Work:/treaty.txt', '--json']);
    expect(listed.json().links).toMatchObject([{ id, tokenStart: token.slice(0, 6), active: true, accessCount: 0 }]);
    expect(listed.stdout).not.toContain(token);
    const revoked = await as('ada', Unlink, [id]);
    expect([revoked.code, revoked.stdout]).toEqual([0, 'The link opens nothing any more.\n']);
    const other = (await as('ada', Link, ['Work:/treaty.txt'])).stdout;
    expect((await as('ada', Unlink, ['-'], { stdin: other })).code).toBe(0);
    expect((await as('ada', Shares, ['Work:/treaty.txt'])).stdout).toBe('');
  });
});

describe('files that are shared', () => {
  let scene: People;
  let count = 0;

  beforeAll(async () => {
    scene = await people('url');
    await scene.as('ada', Create, ['Sealed', '--client-encrypted']);
    const env = { CONCLAVE_KEY: scene.phrase('ada') };
    await scene.as('ada', Put, [join(scene.home.folder, 'treaty.txt'), 'Sealed:'], { env });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const few = inStage(['Sealed'], ['Sealed'], ['Work', 'Sealed']);
  const link = async (argv: readonly string[], options: RunOptions = {}): Promise<Run> =>
    await scene.as('ada', Link, argv, { ...options, env: { CONCLAVE_KEY: scene.phrase('ada'), ...options.env } });

  /** As somebody without an account. */
  async function open(url: string, options: RunOptions = {}): Promise<string> {
    const to = join(scene.home.folder, `opened-${(count += 1)}`);
    const run = await scene.home.run(Open, [url.trim(), to], options);
    if (run.code !== 0) return `${run.code} ${run.stderr}`;
    const opened = await bytesOf(to, 'utf8');
    await rm(to);
    return opened;
  }

  it.each(['Work', 'Sealed'])('open by the links of %s that the reader decrypts', async (container) => {
    const made = await link([`${container}:/treaty.txt`]);
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/s\/[\w-]{43}#[\w-]{43}\n$/);
    expect(made.stderr).toContain('Whoever has the whole address opens the file.');
    expect(await open(made.stdout)).toBe(text);
    expect(await open(made.stdout.split('#')[0]!)).toMatch(/^2 .*key of the file is missing/);
    const audit = await scene.as('ada', Shares, [`${container}:/treaty.txt`, '--audit', '--json']);
    const accessed = audit.json().audit[0];
    expect(accessed).toMatchObject({ action: 'share_link_accessed', ipAddress: '127.0.0.1' });
    expect(audit.stdout).not.toContain(made.stdout.trim().split('#')[1]);
  });

  it.each(few)('open by a link of %s with the private key of its recipient', async (container) => {
    const made = await link([`${container}:/treaty.txt`, '--recipient', 'bob']);
    expect(made.stderr).toMatch(
      /Only this member opens the file.*\n {2}bob, whose key has the fingerprint: (?:\w+ ?){10}\n/,
    );
    expect(made.stdout).not.toContain('#');
    expect(await open(made.stdout, { env: { CONCLAVE_KEY: scene.phrase('bob') } })).toBe(text);
    expect(await open(made.stdout, { env: { CONCLAVE_KEY: scene.phrase('ada') } })).toMatch(
      /^2 .*not the one that the file/,
    );
    const { publicKey, privateKey } = generateKeyPair();
    const byKey = await link([`${container}:/treaty.txt`, '--mode', 'recipient', '--recipient', toHex(publicKey)]);
    expect(byKey.stderr).toContain('Only the private key of the recipient opens the file.');
    expect(await open(byKey.stdout, { env: { CONCLAVE_KEY: toHex(privateKey) } })).toBe(text);
  });

  it('open by a link that the server decrypts, but for a client-encrypted container', async () => {
    const made = await link(['Work:/treaty.txt', '--mode', 'proxied']);
    expect(made.stdout).not.toContain('#');
    expect(await open(made.stdout)).toBe(text);
    const refused = await link(['Sealed:/treaty.txt', '--mode', 'proxied']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('Use --mode ephemeral or --mode recipient.');
  });

  it.each(few)('open with the password of a link of %s', async (container) => {
    const secret = 'blue harbour';
    const made = await link([`${container}:/treaty.txt`, '--ask-password'], {
      person: [
        ['Password of the link', secret],
        ['again', secret],
      ],
    });
    expect([made.code, made.stderr.includes(secret), made.stdout.includes(secret)]).toEqual([0, false, false]);
    expect(made.stderr).toContain('Whoever has the whole address and the password opens the file.');
    expect(await open(made.stdout)).toMatch(/^2 [^]*CONCLAVE_LINK_PASSWORD/);
    expect(await open(made.stdout, { env: { CONCLAVE_LINK_PASSWORD: secret } })).toBe(text);
    const file = await scene.home.file('password', `${secret}\n`);
    const [byFile, byVariable] = [
      await link([`${container}:/treaty.txt`, '--password-file', file, '--json']),
      await link([`${container}:/treaty.txt`, '--json'], { env: { CONCLAVE_LINK_PASSWORD: secret } }),
    ];
    for (const run of [byFile, byVariable]) {
      expect(run.json()).toMatchObject({ passwordProtected: true });
      expect(run.stdout).not.toContain(secret);
      expect(await open(run.json().url, { env: { CONCLAVE_LINK_PASSWORD: secret } })).toBe(text);
    }
    const listed = await scene.as('ada', Shares, [`${container}:/treaty.txt`, '--json', '--audit']);
    expect(listed.json().links.filter((one: { passwordProtected: boolean }) => one.passwordProtected)).toHaveLength(3);
    expect(listed.stdout).not.toContain(secret);
  });

  it.each(few)('open no more by a link of %s that is used up, revoked or over', async (container) => {
    const before = Date.now();
    const made = await link([`${container}:/treaty.txt`, '--max-opens', '1', '--expires', '7d', '--json']);
    const { url, id, expiresAt } = made.json();
    expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(before + 7 * 86_400_000);
    expect(await open(url)).toBe(text);
    expect(await open(url)).toMatch(/^6 .*There is no such link, or it has expired/);
    const listed = await scene.as('ada', Shares, [`${container}:/treaty.txt`]);
    expect(listed.stdout).toContain(`\tephemeral\tno\t1 of 1\t${expiresAt}\t${id}\n`);
    const other = (await link([`${container}:/treaty.txt`])).stdout;
    expect((await scene.as('ada', Unlink, ['-'], { stdin: other })).code).toBe(0);
    expect(await open(other)).toMatch(/^\d .*revoked/);
  });

  it(
    'of a client-encrypted container are read by the member whom the keys of the versions are encrypted to',
    { tags: 'soak' },
    async () => {
      const env = { CONCLAVE_KEY: scene.phrase('ada') };
      const path = await scene.home.file('secret.txt', 'first');
      const put = async (): Promise<number> => (await scene.as('ada', Put, [path, 'Sealed:'], { env })).code;
      const share = async (): Promise<Run> => await scene.as('ada', Share, ['Sealed:/secret.txt', 'bob'], { env });
      expect(await put()).toBe(0);
      expect((await share()).stderr).toMatch(
        /Compare the fingerprint with them:\n {2}bob, whose key has the fingerprint: /,
      );
      const { shares } = (await scene.as('bob', Shared, ['--json'])).json();
      const { fileId, vaultContainerId, clientEncrypted } = shares[0];
      expect([shares.length, clientEncrypted]).toEqual([1, true]);
      const read = async (name: string): Promise<string> => {
        await using caller = await scene.client('bob');
        const terminal = { ...process, env: { CONCLAVE_KEY: scene.phrase(name) } };
        let heard = 0;
        const onShared = (): void => void (heard += 1);
        const ciphers = ciphersFor({ terminal, caller, keyFile: undefined, onNewKey: () => {}, onShared });
        const cipher = await ciphers(vaultContainerId);
        expect(heard).toBe(1);
        return Buffer.concat(await Readable.from(readFile(caller, await cipher!.open(fileId))).toArray()).toString();
      };
      expect(await read('bob')).toBe('first');
      await expect(read('ada')).rejects.toMatchObject({ code: 'KEY_INVALID' });
      await scene.home.file('secret.txt', 'second');
      expect(await put()).toBe(0);
      await expect(read('bob')).rejects.toMatchObject({
        code: 'KEY_MISSING',
        message: expect.stringContaining('shared again'),
      });
      expect((await share()).code).toBe(0);
      expect(await read('bob')).toBe('second');
      expect((await scene.as('ada', Unshare, ['Sealed:/secret.txt', 'bob'])).code).toBe(0);
      expect((await scene.as('bob', Shared, ['--json'])).json()).toEqual({ shares: [] });
    },
  );

  it('have a QR code of the address, beside the answer and never instead of it', { tags: 'soak' }, async () => {
    const piped = await link(['Work:/treaty.txt', '--qr']);
    expect(piped.stdout).toMatch(/^http\S+\n$/);
    const code = piped.stderr.split('\n').filter((line) => /^[█▀▄ ]+$/.test(line));
    expect(code.length).toBeGreaterThan(20);
    expect(new Set(code.map((line) => line.length)).size).toBe(1);
    // At a terminal, scanners need dark on light.
    const shown = await link(['Work:/treaty.txt', '--qr'], { person: [] });
    expect([shown.code, shown.stderr.includes('\u001b[30;107m')]).toEqual([0, true]);
    expect(await link(['Work:/treaty.txt', '--qr', '--json'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('refuse wrong words before anything is made', async () => {
    const wrong: readonly (readonly [readonly string[], string])[] = [
      [['Work:/'], 'is a folder. Name a file.'],
      [['Work:/treaty.txt', '--mode', 'recipient'], '--recipient MEMBER_OR_KEY'],
      [['Work:/treaty.txt', '--mode', 'proxied', '--recipient', 'bob'], 'Leave --mode out, or --recipient.'],
      [['Work:/treaty.txt', '--recipient', `05${'ab'.repeat(32)}`], 'not a public key'],
      [['Work:/treaty.txt', '--expires', 'yesterday'], '--expires must be in the future'],
      [['Work:/treaty.txt', '--max-opens', '0'], '--max-opens'],
      [['Work:/treaty.txt', '--ask-password'], '--password-file or CONCLAVE_LINK_PASSWORD'],
    ];
    for (const [argv, why] of wrong) {
      const run = await link(argv);
      expect([argv, run.code, run.stdout]).toEqual([argv, 2, '']);
      expect(run.stderr).toContain(why);
    }
    expect(said(await link(['Work:/treaty.txt', '--recipient', 'nobody']))[0]).toBe(6);
    expect(said(await scene.as('ada', Share, ['Work:/treaty.txt', 'nobody']))[0]).toBe(6);
    expect(said(await scene.as('ada', Share, ['Work:/treaty.txt', 'bob', '--level', 'king']))[0]).toBe(2);
    expect(said(await scene.as('ada', Unlink, ['https://example.org/']))).toEqual([
      2,
      expect.stringContaining('not a whole share link'),
    ]);
    expect(said(await scene.as('ada', Unlink, ['0a'.repeat(16)]))[0]).toBe(6);
    expect(said(await scene.as('bob', Link, ['Work:/treaty.txt']))[0]).toBe(6);
  });
});
