import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canMount } from '../support/small-disk.ts';
import { has } from './deb.ts';
import { isMadeHere, openPlace, versionOf } from './place.ts';

/** What an image says of the containers that are made of it. */
interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
}

const data = 'var/lib/conclave';

/**
 * As the programs that run containers do it: a process namespace, a root that nobody writes to, the volume, a /tmp, and no program may run
 * from /dev/shm.
 */
const container = `
root=$1 volume=$2 tmp=$3; shift 3
mount --bind "$root" "$root"
mount -t proc none "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o noexec none "$root/dev/shm"
mount --bind "$tmp" "$root/tmp"
mount --bind "$volume" "$root/${data}"
mount -o remount,bind,ro "$root"
exec env -i "$@"`;

/** @param built where the program in one file is, beside the image */
export async function describeImage(built: () => string): Promise<void> {
  const mayMount = await canMount();

  describe.skipIf(!isMadeHere)('the image for containers', { tags: ['needs-system', 'needs-program'] }, () => {
    let folder: string;
    let root: string;
    let config: ImageConfig;
    let archive: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'conclave-image-'));
      const version = versionOf(built());
      archive = join(dirname(built()), `conclave-${version}-oci.tar`);
      const layout = join(folder, 'layout');
      await mkdir(layout);
      await execa('tar', ['-xf', archive, '-C', layout]);
      const mapped = process.getuid?.() === 0 ? [] : ['--rootless'];
      await execa('umoci', ['unpack', ...mapped, '--image', `${layout}:${version}`, join(folder, 'bundle')]);
      root = join(folder, 'bundle/rootfs');
      const blob = async (digest: string) =>
        JSON.parse(await readFile(join(layout, 'blobs', digest.replace(':', '/')), 'utf8'));
      const index = JSON.parse(await readFile(join(layout, 'index.json'), 'utf8'));
      const manifest = await blob(index.manifests[0].digest);
      ({ config } = await blob(manifest.config.digest));
    });
    afterAll(async () => await rm(folder, { recursive: true }));

    it('has the program, what it is loaded with, their licences, and no shell', async () => {
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => !entry.isDirectory());
      const names = files.map((entry) => join(entry.parentPath, entry.name).slice(root.length)).toSorted();
      const isDocument = (name: string) => /^\/usr\/share\/(?:doc|common-licenses)\//.test(name);
      expect(names.filter((name) => !isDocument(name))).toEqual([
        '/etc/group',
        '/etc/nsswitch.conf',
        '/etc/passwd',
        '/lib64/ld-linux-x86-64.so.2',
        '/usr/bin/conclave',
        ...[
          'libatomic.so.1',
          'libc.so.6',
          'libdl.so.2',
          'libgcc_s.so.1',
          'libm.so.6',
          'libpthread.so.0',
          'libstdc++.so.6',
        ].map((name) => `/usr/lib/x86_64-linux-gnu/${name}`),
      ]);
      for (const name of ['conclave', 'libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6'])
        expect(names).toContain(`/usr/share/doc/${name}/copyright`);
      // Every licence that they send the reader to is there.
      for (const name of names.filter((each) => each.endsWith('/copyright'))) {
        const text = await readFile(join(root, name), 'utf8');
        for (const [path] of text.matchAll(/\/usr\/share\/common-licenses\/\w[\w.-]*\w/g))
          expect(names).toContain(path);
      }
      const same = await execa('cmp', [join(root, 'usr/bin/conclave'), built()], { reject: false });
      expect(same.exitCode).toBe(0);
      expect((await stat(join(root, 'tmp'))).mode & 0o7777).toBe(0o1777);
    });

    it('says how it is run: as nobody, with one volume and one port', async () => {
      expect(config).toMatchObject({
        User: '65534:65534',
        ExposedPorts: { '7878/tcp': {} },
        Env: expect.arrayContaining([`CONCLAVE_DATA_DIR=/${data}`, 'CONCLAVE_HOST=0.0.0.0']),
        Entrypoint: ['/usr/bin/conclave'],
        Cmd: ['serve', '--init'],
        Volumes: { [`/${data}`]: {} },
        StopSignal: 'SIGTERM',
        Labels: {
          'org.opencontainers.image.title': 'conclave',
          'org.opencontainers.image.version': versionOf(built()),
          'org.opencontainers.image.licenses': 'MIT',
        },
      });
    });

    it.skipIf(!has('skopeo'))('is read by other programs for images', async () => {
      const { stdout } = await execa('skopeo', ['inspect', `oci-archive:${archive}`]);
      expect(JSON.parse(stdout)).toMatchObject({ Architecture: 'amd64', Os: 'linux', Layers: [expect.any(String)] });
    });

    describe.skipIf(!mayMount)('in a container', { tags: ['needs-mount'] }, () => {
      it('makes a store in its volume, serves it to other machines, stops when it is told to, and goes on with it', async () => {
        // A volume that is new gets what the image has in its place.
        const [volume, temporary] = [join(folder, 'volume'), join(folder, 'temporary')];
        await execa('cp', ['-a', join(root, data), volume]);
        await cp(join(root, 'tmp'), temporary, { recursive: true });
        await execa('chmod', ['1777', temporary]);
        for (const name of ['proc', 'dev']) await mkdir(join(root, name), { recursive: true });

        await using place = await openPlace(built());
        {
          await using first = await run({ root, config, volume, temporary });
          expect((await fetch(`${first.url}/health`)).status).toBe(200);
          expect(first.said()).toContain(`are in /${data}/first-administrator.txt`);
          const note = await readFile(join(volume, 'first-administrator.txt'), 'utf8');
          const input = /^password: (.*)$/m.exec(note)?.[1] ?? '';
          await place.must(['login', 'admin', '--password-file', '-', '--server', first.url], { input });
          // Both pieces of machine code have been loaded by then.
          await place.must(['vault', 'create', 'Mine', '--server', first.url]);
          const { Uid, Gid } = await first.status();
          expect({ Uid, Gid }).toEqual({ Uid: '65534', Gid: '65534' });
          expect(await first.stop()).toBe(0);
        }
        await using second = await run({ root, config, volume, temporary });
        expect(second.said()).not.toContain('first-administrator.txt');
        expect((await fetch(`${second.url}/health`)).status).toBe(200);
        expect(await second.stop()).toBe(0);
        expect(await readdir(temporary)).toEqual([]);
        expect(await readdir(volume)).toEqual(expect.arrayContaining(['node.secret', 'store.db']));
      });
    });
  });
}

interface Container extends AsyncDisposable {
  readonly url: string;
  readonly said: () => string;
  /** what the system says of its first process, user and group as they are in effect */
  status(): Promise<{ readonly Uid: string | undefined; readonly Gid: string | undefined }>;
  /** @returns the exit code of its first process */
  stop(): Promise<number | null>;
}

interface Made {
  readonly root: string;
  readonly config: ImageConfig;
  readonly volume: string;
  readonly temporary: string;
}

async function run({ root, config, volume, temporary }: Made): Promise<Container> {
  const [user = '', group = ''] = config.User.split(':');
  const within = [
    '/usr/bin/unshare',
    `--root=${root}`,
    `--wd=${config.WorkingDir}`,
    '--setgid',
    group,
    '--setuid',
    user,
  ];
  const command = [...config.Env, 'CONCLAVE_PORT=0', ...within, ...config.Entrypoint, ...config.Cmd];
  const words = [
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    '/bin/sh',
    '-ec',
    container,
    'sh',
    root,
    volume,
    temporary,
  ];
  const child = spawn('/usr/bin/unshare', [...words, ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  const first = async () => (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim();
  const stop = async (): Promise<number | null> => await ended(child, first);
  while (!/"listening"/.test(said)) {
    if (child.exitCode !== null) throw new Error(`the container ended with ${child.exitCode}: ${said}`);
    await Promise.race([once(child.stderr, 'data'), once(child, 'exit')]);
  }
  const port = /"urls":\["http:\/\/[^"]*:(\d+)"/.exec(said)?.[1];
  return {
    url: `http://127.0.0.1:${port}`,
    said: () => said,
    async status() {
      const text = await readFile(`/proc/${await first()}/status`, 'utf8');
      const effective = (name: string) => new RegExp(String.raw`^${name}:\s+\d+\s+(\d+)`, 'm').exec(text)?.[1];
      return { Uid: effective('Uid'), Gid: effective('Gid') };
    },
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

async function ended(child: ChildProcess, first: () => Promise<string>): Promise<number | null> {
  if (child.exitCode === null) {
    const exit = once(child, 'exit');
    process.kill(Number(await first()), 'SIGTERM');
    await exit;
  }
  return child.exitCode;
}
