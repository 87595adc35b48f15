import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseDocument } from '../docs/documents.ts';
import { canMount } from '../support/small-disk.ts';
import { createPostgresDatabase } from '../support/stores.ts';
import { describeArm64 } from './arm64.ts';
import { describeDebianPackage } from './debian-package.ts';
import { describeImage } from './image.ts';
import { describeNpmPackage } from './npm-package.ts';
import {
  given,
  isMadeHere,
  keepEntry,
  makeRelease,
  openPlace,
  project,
  seePicture,
  sha256,
  showPreview,
  wantedIn,
} from './place.ts';

const { pathWithoutNode } = (await import(
  String(new URL('../../scripts/checks/program-tests.mjs', import.meta.url))
)) as {
  pathWithoutNode(path: string, folder: string): Promise<string>;
};

let release: string;
let built: string;
beforeAll(async () => {
  release = wantedIn ?? (await mkdtemp(join(tmpdir(), 'conclave-release-')));
  await mkdir(release, { recursive: true });
  if (isMadeHere) built = given ?? (await makeRelease(project, release));
}, 1_200_000);
afterAll(async () => {
  if (wantedIn === undefined) await rm(release, { recursive: true });
});

describe.skipIf(!isMadeHere)('the program in one file', { tags: ['needs-system', 'needs-program'] }, () => {
  it('says what is in it, and V8 takes everything that was compiled ahead', async () => {
    await using place = await openPlace(built);
    const { name, version } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
    const nodes = JSON.parse(await readFile(join(project, 'scripts/release-node.json'), 'utf8'));
    const node = nodes['linux-x64'].version;
    expect(basename(built)).toBe(`${name}-${version}-linux-x64`);
    expect(await place.must(['--version'])).toBe(`${name}/${version} linux-x64 node-v${node}`);
    const details = JSON.parse(await place.must(['--version', '--verbose', '--json']));
    expect(details).toMatchObject({ version, isOneFile: true, place: place.file, node });
    expect(details.compiled.parts).toBeGreaterThan(250);
    expect(details.compiled.refused).toBe(0);
    expect(details.addons).toEqual(['argon2 0.44.0', 'bcrypt 6.0.0']);
    expect(details.packages).toEqual(expect.arrayContaining(['sql.js 1.16.0', '@silvia-odwyer/photon-node 0.3.4']));
    expect(await place.must(['--help'])).toContain('conclave init');
    expect(await place.run(['vault', 'nothing'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('no command "vault nothing"'),
    });
    const sums = await readFile(join(dirname(built), 'SHA256SUMS'), 'utf8');
    const files = [
      basename(built),
      `${name}-${version}-linux-arm64`,
      `${name}_${version}_amd64.deb`,
      `${name}_${version}_arm64.deb`,
      `${name}-${version}-oci.tar`,
      `${name}-${version}.tgz`,
      `${name}-${version}.cdx.json`,
    ];
    const lines = await Promise.all(
      files.map(async (file) => `${await sha256(join(dirname(built), file))}  ${file}\n`),
    );
    expect(sums).toBe(lines.join(''));
    const sbom = JSON.parse(await readFile(join(dirname(built), `${name}-${version}.cdx.json`), 'utf8'));
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', metadata: { component: { version } } });
    const listed = sbom.components.map((one: { name: string; version: string }) => `${one.name} ${one.version}`);
    expect(listed.slice(0, -4)).toEqual([
      ...[...new Set([node, nodes['linux-arm64'].version])].map((each) => `node ${each}`),
      ...details.packages,
    ]);
    const libraries = sbom.components.slice(-4).map((one: { purl: string }) => one.purl);
    const ofDebian = (one: string) => expect.stringMatching(RegExp(String.raw`^pkg:deb/\w+/${one}@.+\?arch=amd64$`));
    expect(libraries).toEqual(['libatomic1', 'libc6', 'libgcc-s1', String.raw`libstdc%2B%2B6`].map(ofDebian));
  });

  it('is all that a node needs: members, vaults, files with their page, mail, checks, backup and restore', async () => {
    await using place = await openPlace(built);
    await place.must(['init', '--generate-password']);
    await writeFile(join(place.folder, 'passphrase'), 'one two three four five six');
    {
      await using server = await place.serve();
      expect(await keepEntry(place)).toBe('me');

      const content = Buffer.alloc(3 * 2 ** 20, 'all of it ');
      await writeFile(join(place.folder, 'content.txt'), content);
      await place.must(['files', 'create', 'Box']);
      await place.must(['files', 'put', 'content.txt', 'Box:/content.txt', '--verify']);
      await place.must(['files', 'get', 'Box:/content.txt', 'again.txt']);
      expect((await readFile(join(place.folder, 'again.txt'))).equals(content)).toBe(true);
      expect((await showPreview(place)).subarray(1, 4).toString()).toBe('PNG');
      expect(await seePicture(place)).toMatchObject({ kind: 'picture', width: 400, height: 300 });

      const { url } = JSON.parse(await place.must(['files', 'link', 'Box:/content.txt', '--json']));
      const page = await fetch(url.replace(/^https?:\/\/[^/]+/, server.url));
      expect(page.status).toBe(200);
      expect(await page.text()).toContain('<script');
      for (const name of ['mail', 'commands'])
        expect((await fetch(`${server.url}/docs/guides/${name}`)).status).toBe(200);

      await place.must(['mail', 'send', '--to', 'admin@home.example', '--subject', 'Hello'], { input: 'Text.' });
      await expect.poll(async () => await place.must(['mail', 'inbox', '--json'])).toContain('"Hello"');

      const board = join(place.folder, 'board');
      await place.program('xclip', `case "$*" in *-in) /bin/cat > ${board} ;; *) /bin/cat ${board} ;; esac`);
      const variables = { DISPLAY: ':0', NODE_OPTIONS: '--require /nowhere.js' };
      await place.must(['vault', 'copy', 'Mine/Mail', '--field', 'username', '--clear-after', '2'], { variables });
      expect(await readFile(board, 'utf8')).toBe('me');
      // By a process of its own.
      await expect.poll(async () => await readFile(board, 'utf8'), { interval: 100 }).toBe('');

      await place.must(['admin', 'store', 'verify']);
      const secret = ['--with-secrets', '--passphrase-file', 'passphrase'];
      await place.must(['admin', 'store', 'backup', 'all.backup', ...secret]);
      expect(await server.stop()).toBe(0);
    }
    const variables = { CONCLAVE_DATA_DIR: join(place.folder, 'restored') };
    await place.must(['admin', 'store', 'restore', 'all.backup', '--passphrase-file', 'passphrase'], { variables });
    await place.must(['admin', 'store', 'verify'], { variables });
    expect(await place.left()).toEqual([]);
  });

  it('serves TLS, SMTP and other nodes over TCP and WebSocket, from PostgreSQL', async () => {
    await using place = await openPlace(built);
    await using database = await createPostgresDatabase({ migrated: false });
    const variables = { CONCLAVE_DATABASE: database.url ?? '' };
    await place.must(['init', '--generate-password'], { variables });
    const listen = '127.0.0.1:0,/ip4/127.0.0.1/tcp/0/ws';
    const words = [
      '--tls',
      'self-signed',
      '--smtp',
      '--smtp-port',
      '0',
      '--network-enabled',
      '--network-listen',
      listen,
    ];
    await using server = await place.serve(words, variables);
    expect(server.url).toMatch(/^https:/);
    const fingerprint = /--ca (sha256:\w+)/.exec(server.said())?.[1] ?? '';
    const remote = ['--server', server.url, '--ca', fingerprint];
    const note = await readFile(join(place.folder, 'data/first-administrator.txt'), 'utf8');
    const input = /^password: (.*)$/m.exec(note)?.[1] ?? '';
    await place.must(['login', 'admin', '--password-file', '-', ...remote], { input });
    expect(await place.must(['whoami', ...remote, '--json'])).toContain('"admin"');
    expect(server.said()).toMatch(/STARTTLS/);
    const [, tcp, webSocket] =
      /"addresses":\["(\/ip4\/127\.0\.0\.1\/tcp\/\d+)\/p2p\/\w+","(\/ip4\/127\.0\.0\.1\/tcp\/\d+\/ws)\/p2p\//.exec(
        server.said(),
      ) ?? [];
    for (const address of [tcp ?? '', webSocket ?? '']) {
      await using other = await openPlace(built);
      await other.must(['init', '--generate-password']);
      await using _ = await other.serve(['--network-enabled', '--network-listen', '127.0.0.1:0']);
      const { exitCode, stdout } = await other.run(['pool', 'join', address, '--json']);
      expect({ exitCode, asked: stdout }).toEqual({
        exitCode: 0,
        asked: expect.stringContaining('admin nodes approve'),
      });
    }
    expect(await server.stop()).toBe(0);
    expect(await place.left()).toEqual([]);
  });

  it('serves after the first lines of docs/self-hosting.md, as they are written there', async () => {
    await using place = await openPlace(built);
    const [home, links] = [place.env['HOME'] ?? '', join(place.folder, 'links')];
    await mkdir(links);
    for (const name of [basename(built), 'SHA256SUMS']) await cp(join(dirname(built), name), join(home, name));
    const guide = parseDocument('', await readFile(join(project, 'docs/self-hosting.md'), 'utf8'));
    const { CONCLAVE_DATA_DIR: _, ...env } = place.env;
    const administrator = { CONCLAVE_ADMIN_USERNAME: 'ada', CONCLAVE_ADMIN_EMAIL: 'ada@example.org' };
    const served = execa('/bin/sh', ['-e', '-c', guide.blocks[0]?.text ?? ''], {
      cwd: home,
      env: {
        ...env,
        ...administrator,
        CONCLAVE_ADMIN_PASSWORD: 'a lighthouse hums at dawn',
        CONCLAVE_PORT: '0',
        PATH: await pathWithoutNode(process.env['PATH'] ?? '', links),
      },
      extendEnv: false,
      detached: true,
      reject: false,
    });
    let url: string | undefined;
    const said: string[] = [];
    for await (const line of served) {
      said.push(line);
      url = /^Conclave serves (\S+)$/.exec(line)?.[1];
      if (url === undefined) continue;
      expect((await fetch(`${url}/health/ready`)).status).toBe(200);
      // The shell and the server.
      process.kill(-(served.pid ?? 0), 'SIGTERM');
    }
    expect(said.slice(0, 1)).toEqual([`${basename(built)}: OK`]);
    expect(said.join('\n')).toContain('ada is the administrator of the node');
    expect((await served).stderr).toContain('"stopped"');
    expect(await place.left()).toEqual([]);
  });

  it('takes no option of Node', async () => {
    await using place = await openPlace(built);
    const variables = { NODE_OPTIONS: '--require /nowhere.js' };
    expect(await place.must(['--version'], { variables })).toContain('conclave/');
    expect(await place.run(['--inspect=0'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('needs a command'),
    });
  });
});

describe.skipIf(!isMadeHere || !(await canMount()))(
  'machine code in the file',
  { tags: ['needs-mount', 'needs-program'] },
  () => {
    /** Mounts a disk of its own on each folder for this one process, and then runs the file. */
    const within = (options: string, ...folders: string[]): string[] => {
      const mounts = folders.map((folder) => `PATH=/usr/bin:/bin mount -t tmpfs ${options} none ${folder}`);
      return ['/usr/bin/unshare', '--mount', '/bin/sh', '-ec', [...mounts, 'exec "$0" "$@"'].join('\n')];
    };

    it.each([
      ['-o noexec', 'programs may not run from there (noexec)'],
      ['-o size=4k', 'the disk is full'],
      ['-o ro', 'it is read-only'],
    ])('is refused by name where no folder lets it run: %s', async (options, reason) => {
      await using place = await openPlace(built);
      const folders = [place.env['XDG_RUNTIME_DIR'] ?? '', '/dev/shm', place.env['TMPDIR'] ?? ''];
      for (const words of [['init', '--generate-password', '--json'], ['serve']]) {
        const said = await place.run(words, { within: within(options, ...folders) });
        expect(said.exitCode).toBe(1);
        for (const folder of folders) expect(said.stderr).toContain(`${folder}: ${reason}`);
        expect(said.stderr).toContain('TMPDIR=');
      }
      // Nothing has begun.
      expect(await readdir(place.folder)).not.toContain('data');
      await place.must(['init', '--generate-password'], { within: within(options, folders[0] ?? '', '/dev/shm') });
      expect(await place.left()).toEqual([]);
    });

    it('is refused by name without /proc', async () => {
      await using place = await openPlace(built);
      const said = await place.run(['init', '--generate-password', '--json'], { within: within('', '/proc') });
      expect(said).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(/ADDON_NOT_LOADED.*there is no \/proc.*mount -t proc proc/s),
      });
    });
  },
);

describeDebianPackage(() => built);
describeArm64(() => built);
describeNpmPackage(() => built);
await describeImage(() => built);

describe.skipIf(!isMadeHere)(
  'two builds of the program in one file',
  { tags: ['needs-system', 'needs-program'] },
  () => {
    it('are the same byte for byte, in another folder', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'conclave-other-'));
      try {
        const other = join(folder, 'a project elsewhere');
        await mkdir(other);
        const names = (await execa('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: project }))
          .stdout;
        for (const name of names.split('\n')) await cp(join(project, name), join(other, name));
        await execa('cp', ['-a', join(project, 'node_modules'), other]);
        const again = await makeRelease(other, folder);
        const sums = async (file: string) => await readFile(join(dirname(file), 'SHA256SUMS'), 'utf8');
        expect(await sums(again)).toBe(await sums(built));
        expect((await readFile(again)).includes(project)).toBe(false);
      } finally {
        await rm(folder, { recursive: true });
      }
    }, 1_200_000);
  },
);
