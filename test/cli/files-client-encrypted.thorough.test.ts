import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Backup from '../../commands/admin/store/backup.ts';
import Grant from '../../commands/files/acl/grant.ts';
import Revoke from '../../commands/files/acl/revoke.ts';
import Cat from '../../commands/files/cat.ts';
import Containers from '../../commands/files/containers.ts';
import Create from '../../commands/files/create.ts';
import Get from '../../commands/files/get.ts';
import Key from '../../commands/files/key.ts';
import Put from '../../commands/files/put.ts';
import Versions from '../../commands/files/versions.ts';
import Logout from '../../commands/logout.ts';
import Login from '../../commands/login.ts';
import { cipherFor } from '../../src/client/filevault/cipher.ts';
import { keysForLink, keysForMember, newShareId } from '../../src/client/filevault/share-keys.ts';
import { openKeyring } from '../../src/client/filevault/keyring.ts';
import { openClient } from '../../src/client/client.ts';
import { keyPairFrom } from '../../src/client/member-secret.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';
import { fromHex } from '../../src/crypto/bytes.ts';
import { eciesDecrypt } from '../../src/crypto/ecies.ts';
import { sharedKeyContext } from '../../src/crypto/formats/file-content/file-content.ts';
import { collectLog } from '../support/collected-log.ts';
import { foundIn, storedBytes } from '../support/needles.ts';
import { openRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { openHome, type Home } from './home.ts';
import { inStage } from '../support/stage.ts';

const password = 'seven green bottles';
const log = collectLog();
let home: Home;
let proxy: RecordingProxy;
const phrases = new Map<string, string>();

/** As a member with a folder of sign-ins of their own, through the proxy, with the phrase at hand unless `env` says otherwise. */
async function as(
  name: string,
  command: Parameters<Home['run']>[0],
  argv: readonly string[] = [],
  env: NodeJS.ProcessEnv = { CONCLAVE_KEY: phrases.get(name) },
  options: Omit<NonNullable<Parameters<Home['run']>[2]>, 'env'> = {},
) {
  const folder = join(home.folder, name);
  await mkdir(folder, { recursive: true });
  const own = { CONCLAVE_SERVER: proxy.url, XDG_CONFIG_HOME: folder, XDG_RUNTIME_DIR: folder, TMPDIR: folder };
  await chmod(folder, 0o700);
  return await home.run(command, argv, { ...options, env: { ...own, CONCLAVE_PASSWORD: password, ...env } });
}

async function clientOf(name: string) {
  const env = { HOME: home.folder, CONCLAVE_SERVER: proxy.url, XDG_CONFIG_HOME: join(home.folder, name) };
  return await openClient({ env, userAgent: 'test', command: 'test' });
}

beforeAll(async () => {
  home = await openHome('url', { log });
  proxy = await openRecordingProxy(home.ready!.url);
  for (const name of ['ada', 'bob', 'cyd']) {
    const made = await as(name, Register, ['--username', name, '--email', `${name}@example.org`, '--json'], {});
    phrases.set(name, made.json().mnemonic);
  }
  await as('ada', Create, ['Sealed', '--client-encrypted']);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

describe('files of a client-encrypted container', () => {
  it('are stored and read by the ordinary commands, and nothing that the server gets opens them', async () => {
    const sentence = 'The treaty of the seven towns is signed at midnight. ';
    const text = Buffer.from(`${sentence.repeat(20)}${randomBytes(24).toString('hex')}`);
    const large = randomBytes(inStage(300_000, 300_000, 8 * 1024 ** 2 + 4_000));
    await writeFile(join(home.folder, 'treaty.txt'), text);
    await writeFile(join(home.folder, 'large.bin'), large);
    const put = await as('ada', Put, [join(home.folder, 'treaty.txt'), join(home.folder, 'large.bin'), 'Sealed:']);
    expect([put.code, put.stdout]).toEqual([0, expect.stringMatching(/^Stored 2 files, [\d.]+ [KM]iB\.\n$/)]);
    expect(put.stderr).toContain('Made key 1 of Sealed, which is encrypted to you alone.');
    await writeFile(join(home.folder, 'treaty.txt'), `${text.toString()} Amended.`);
    expect((await as('ada', Put, [join(home.folder, 'treaty.txt'), 'Sealed:'])).code).toBe(0);
    expect((await as('ada', Cat, ['Sealed:/treaty.txt'])).stdout).toBe(`${text.toString()} Amended.`);
    const restored = await as('ada', Versions, ['Sealed:/treaty.txt', '--restore', '1'], {});
    expect([restored.code, restored.stdout]).toEqual([0, expect.stringMatching(/^3\tcurrent/)]);
    expect((await as('ada', Cat, ['Sealed:/treaty.txt'])).stdout).toBe(text.toString());
    const got = await as('ada', Get, ['Sealed:/', join(home.folder, 'back')]);
    expect([got.code, got.stdout]).toEqual([0, expect.stringMatching(/^Received 2 files, [\d.]+ [KM]iB\.\n$/)]);
    expect((await readFile(join(home.folder, 'back', 'large.bin'))).equals(large)).toBe(true);
    const shared = await as('ada', Grant, ['Sealed:', 'bob', '--level', 'viewer', '--json']);
    const { recipient } = shared.json().keys;
    expect(recipient).toMatchObject({ username: 'bob', fingerprint: { words: expect.any(Array) } });
    const own = await as('bob', Key, ['--json']);
    expect(own.json().fingerprint).toEqual(recipient.fingerprint);
    expect((await as('bob', Cat, ['Sealed:/treaty.txt'])).stdout).toBe(text.toString());

    const ada = await keyPairFrom(phrases.get('ada')!);
    await using client = await clientOf('ada');
    const listed = await perform(client, filevault.listContainers, {});
    const container = (Array.isArray(listed) ? listed : listed.vaults)[0]!;
    const { keys } = await openKeyring(client, container, ada);
    const secrets = new Map<string, Uint8Array>([
      ['the plaintext', Buffer.from(sentence)],
      ['the end of the plaintext', text.subarray(-24)],
      ['a part of the large file', large.subarray(100_000, 100_040)],
      ['the phrase of ada', Buffer.from(phrases.get('ada')!)],
      ['the phrase of bob', Buffer.from(phrases.get('bob')!)],
      ['the private key of ada', ada.privateKey],
      ['the private key of bob', (await keyPairFrom(phrases.get('bob')!)).privateKey],
      ...[...keys].map(([number, key]) => [`key ${number} of the container`, key] as const),
    ]);
    const cipher = cipherFor({ caller: client, container, own: ada });
    const { folder } = await perform(client, filevault.showRoot, { vaultContainerId: container.id });
    const { files } = await perform(client, filevault.showFolder, { id: folder.id });
    for (const { id, name } of files) {
      const versions = await perform(client, filevault.listVersions, { id });
      for (const { versionId } of Array.isArray(versions) ? versions : versions.versions)
        secrets.set(`the key of ${name}, ${versionId}`, (await cipher.open(id, versionId)).key);
    }
    expect(secrets.size).toBe(12);
    // What makes a link, and shares a file with a member: neither has the key of the file.
    const file = await cipher.open(files[0]!.id);
    const [shareId, linkId] = [newShareId(), newShareId()];
    const { privateKey, ...link } = keysForLink(linkId, file);
    const bob = await keyPairFrom(phrases.get('bob')!);
    const holder = { memberId: recipient.memberId, publicKey: Buffer.from(bob.publicKey).toString('hex') };
    const wraps = keysForMember(shareId, holder, [file]);
    expect(eciesDecrypt(fromHex(privateKey), fromHex(link.wrappedKey), sharedKeyContext(linkId, file.named))).toEqual(
      file.key,
    );
    const [wrap] = wraps;
    expect(eciesDecrypt(bob.privateKey, fromHex(wrap!.wrapped), sharedKeyContext(shareId, file.named))).toEqual(
      file.key,
    );
    expect(foundIn(Buffer.from(JSON.stringify({ link, wraps })), secrets)).toEqual([]);

    const backup = join(home.folder, 'store.backup');
    expect((await home.operate(Backup, [backup])).code).toBe(0);
    const places = new Map<string, Uint8Array>([
      ['the backup', await readFile(backup)],
      ['the log', Buffer.from(JSON.stringify(log.lines))],
    ]);
    for (const [index, bytes] of proxy.received().entries()) places.set(`connection ${index}`, bytes);
    for (const [entry, bytes] of await storedBytes(home.dataDir)) places.set(entry, bytes);
    for (const [place, bytes] of places) expect(foundIn(bytes, secrets), place).toEqual([]);
    // The search can find: what is known to be there, and each form of a secret.
    const whole = [...places.values()].map((bytes) => Buffer.from(bytes));
    expect(whole.some((bytes) => bytes.includes('treaty.txt'))).toBe(true);
    expect([...places.keys()].filter((place) => place.startsWith('blocks/')).length).toBeGreaterThan(0);
    expect(log.lines.length).toBeGreaterThan(0);
    const encoded = ['hex', 'base64', 'base64url'] as const;
    for (const form of encoded)
      for (const shift of ['', 'x', 'xy'])
        expect(foundIn(Buffer.from(Buffer.from(`${shift}${sentence}`).toString(form)), secrets), form).toEqual([
          'the plaintext',
        ]);
  });

  it(
    'get a new key when a member loses access, and the member opens nothing from then on',
    { tags: 'soak' },
    async () => {
      await as('ada', Create, ['Board', '--client-encrypted']);
      const path = await home.file('minutes.txt', 'first minutes');
      await as('ada', Put, [path, 'Board:']);
      await as('ada', Grant, ['Board:', 'bob', '--level', 'editor']);
      const granted = await as('ada', Grant, ['Board:', 'cyd', '--level', 'editor']);
      expect(granted.stderr).toMatch(
        /Compare the fingerprint with them:\n {2}cyd, whose key has the fingerprint: (?:\w+ ?){10}\n/,
      );
      expect((await as('bob', Cat, ['Board:/minutes.txt'])).stdout).toBe('first minutes');
      const revoked = await as('ada', Revoke, ['Board:', 'bob']);
      expect([revoked.code, revoked.stderr]).toEqual([
        0,
        expect.stringContaining('Made key 2 of Board, which is encrypted to you and to:\n  cyd,'),
      ]);
      await writeFile(path, 'second minutes');
      expect((await as('cyd', Put, [path, 'Board:'])).code).toBe(0);
      expect((await as('ada', Cat, ['Board:/minutes.txt'])).stdout).toBe('second minutes');
      expect((await as('bob', Cat, ['Board:/minutes.txt'])).code).toBe(6);
      // Without the key of the owner, the change of access is made, and the key at the next opportunity.
      const later = await as('ada', Revoke, ['Board:', 'cyd'], {});
      expect([later.code, later.stderr]).toEqual([
        0,
        expect.stringContaining('Nothing can be stored in the container until'),
      ]);
      const next = await as('ada', Put, [path, 'Board:', '--force']);
      expect([next.code, next.stderr]).toEqual([
        0,
        expect.stringContaining('Made key 3 of Board, which is encrypted to you alone.'),
      ]);
    },
  );

  it('ask for the key only where it is needed, and say what is wrong with it', async () => {
    const missing = await as('ada', Cat, ['Sealed:/treaty.txt'], {});
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('--key-file or CONCLAVE_KEY')]);
    const wrong = await as('ada', Cat, ['Sealed:/treaty.txt'], { CONCLAVE_KEY: phrases.get('bob') });
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('This is not the key of ada, who is signed in.'),
    ]);
    const none = await as('ada', Cat, ['Sealed:/treaty.txt'], { CONCLAVE_KEY: 'no phrase' });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('not a recovery phrase')]);
    const asArgument = await as('ada', Cat, ['Sealed:/treaty.txt', '--key', 'ab'], {});
    expect([asArgument.code, asArgument.stderr]).toEqual([
      2,
      expect.stringContaining('Secrets are not accepted as arguments'),
    ]);
    const file = await home.file('phrase', phrases.get('ada')!);
    expect((await as('ada', Cat, ['Sealed:/treaty.txt', '--key-file', file], {})).code).toBe(0);
    const typed = await as(
      'ada',
      Cat,
      ['Sealed:/treaty.txt'],
      {},
      { person: [['Recovery phrase', phrases.get('ada')!]] },
    );
    expect(typed.code).toBe(0);
    await as('ada', Create, ['Open'], {});
    expect((await as('ada', Put, [file, 'Open:'], {})).code).toBe(0);
    expect((await as('ada', Cat, ['Open:/phrase'], {})).code).toBe(0);
    expect((await as('ada', Grant, ['Open:', 'bob', '--level', 'viewer'], {})).code).toBe(0);
    expect((await as('ada', Containers, ['--json'], {})).stdout).toContain('"clientEncrypted": true');
  });

  it('need no phrase while the key is kept, which ends with the sign-in', async () => {
    const kept = await as('ada', Key, ['--keep', '--json']);
    expect(kept.json()).toMatchObject({ kept: true });
    expect((await as('ada', Cat, ['Sealed:/treaty.txt'], {})).code).toBe(0);
    const folder = join(home.folder, 'ada', 'conclave');
    const name = (await readdir(folder)).find((entry) => entry.startsWith('member-key-'));
    expect((await stat(join(folder, name!))).mode & 0o777).toBe(0o600);
    expect((await as('ada', Key, ['--forget'], {})).code).toBe(0);
    expect((await as('ada', Cat, ['Sealed:/treaty.txt'], {})).code).toBe(2);
    await as('ada', Key, ['--keep']);
    await as('ada', Logout, [], {});
    await as('ada', Login, ['ada'], {});
    expect((await as('ada', Cat, ['Sealed:/treaty.txt'], {})).code).toBe(2);
  });
});
