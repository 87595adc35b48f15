import { createHash } from 'node:crypto';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { encodePng } from '../../src/shared/attachments/images/codec.ts';
import { has } from './deb.ts';

export const project = fileURLToPath(new URL('../..', import.meta.url));

const arm64Root = '/usr/aarch64-linux-gnu';
const libraries = ['/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/lib/x86_64-linux-gnu'];

/** The prebuilt machine code in the file is for that, and the file is made with these programs and libraries. */
export const isMadeHere =
  process.platform === 'linux' &&
  process.arch === 'x64' &&
  ['strip', 'readelf', 'tar', 'dpkg-deb', 'dpkg-query', 'xz', 'umoci'].every(has) &&
  libraries.some((folder) => existsSync(join(folder, 'libatomic.so.1'))) &&
  ['aarch64-linux-gnu-strip', 'qemu-aarch64'].every(has) &&
  existsSync(join(arm64Root, 'lib/libatomic.so.1'));

/** What starts a program for arm64 here. */
export const asArm64 = ['/usr/bin/qemu-aarch64', '-L', arm64Root];

/** A release that is there already, for who works on these tests. */
export const given = process.env['CONCLAVE_TEST_RELEASE'];

/** Where the release is to stay after the tests of it: other tests run with its program then. */
export const wantedIn = process.env['CONCLAVE_TEST_RELEASES'];

/** @param root of a copy of the project with its packages @returns where the file is */
export async function makeRelease(root: string, folder: string): Promise<string> {
  // NODE_OPTIONS of this run, and a certificate that each process would read.
  const env = {
    HOME: folder,
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    // Compressing the packages as for users takes longer than all else.
    ...(given === undefined && { CONCLAVE_RELEASE_DEB_LEVEL: '1' }),
    ...registry(),
  };
  const { stdout } = await execa(join(root, 'scripts/release'), [folder], { env, extendEnv: false });
  return stdout.split('\n')[0] ?? '';
}

/** How npm is told of a registry and of a proxy. */
export function registry(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(?:npm_config_.*|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|NPM_.*)$/i.test(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']));
}

/** @param built the program in one file */
export function versionOf(built: string): string {
  return basename(built).split('-')[1] ?? '';
}

export const sha256 = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

export interface Said {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

interface Server extends AsyncDisposable {
  readonly url: string;
  /** everything that it has said */
  readonly said: () => string;
  stop(): Promise<number | null>;
}

/** A folder with the program and nothing else: no other program is on the PATH. */
export interface Place extends AsyncDisposable {
  readonly folder: string;
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  run(words: readonly string[], more?: RunOptions): Promise<Said>;
  /** the same of a command that has to succeed @returns its output */
  must(words: readonly string[], more?: RunOptions): Promise<string>;
  serve(words?: readonly string[], variables?: Readonly<Record<string, string>>): Promise<Server>;
  /** Puts a program of a few lines of shell on the PATH. */
  program(name: string, script: string): Promise<void>;
  /** what is in the temporary folders */
  left(): Promise<string[]>;
}

interface RunOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** a program and its words that start the file */
  readonly within?: readonly string[];
}

/** @param built the program as one file, of which the folder gets a copy @param within what starts it, where the system can't */
export async function openPlace(built: string, within: readonly string[] = []): Promise<Place> {
  const put = async (folder: string): Promise<string> => {
    await copyFile(built, join(folder, 'conclave'));
    return join(folder, 'conclave');
  };
  return await openPlaceOf(put, { within });
}

/** The first administrator, at the server that is running in a place. */
async function signIn(place: Place): Promise<void> {
  const note = await readFile(join(place.env['CONCLAVE_DATA_DIR'] ?? '', 'first-administrator.txt'), 'utf8');
  await place.must(['login', 'admin', '--password-file', '-'], { input: /^password: (.*)$/m.exec(note)?.[1] ?? '' });
}

/** bcrypt for a vault, in the server that has used argon2 for the account. @returns the field of a new entry Mine/Mail, as the server gives it back */
export async function keepEntry(place: Place): Promise<string> {
  await signIn(place);
  await place.must(['vault', 'create', 'Mine']);
  await place.must(['vault', 'add', 'Mine/Mail', 'username=me', '--generate']);
  return await place.must(['vault', 'get', 'Mine/Mail', '--field', 'username']);
}

/** The decoder of images, which a thread loads: a picture goes into the container Box, and its preview has a watermark. */
export async function showPreview(place: Place): Promise<Buffer> {
  const black = { width: 400, height: 300, bytes: new Uint8Array(400 * 300 * 4) };
  await writeFile(join(place.folder, 'black.png'), encodePng(black));
  await place.must(['files', 'put', 'black.png', 'Box:/black.png']);
  const { file } = JSON.parse(await place.must(['files', 'stat', 'Box:/black.png', '--json']));
  await place.must(['call', 'filevault.change-file', `id=${file.id}`, 'visibleWatermark=true']);
  await place.must(['call', 'filevault.preview', `id=${file.id}`, '--output', 'shown.png']);
  return await readFile(join(place.folder, 'shown.png'));
}

/** The same decoder, which the command loads in a process of its own. @returns what it found of a picture that is not attached to anything */
export async function seePicture(place: Place): Promise<unknown> {
  const picture = ['filename=black.png', '--body', 'black.png', '--type', 'image/png'];
  const { id } = JSON.parse(await place.must(['call', 'chat.upload-attachment', ...picture])) as { id: string };
  return JSON.parse(await place.must(['chat', 'attachment', 'show', id, '--json']));
}

interface ProgramOptions {
  /** the folder of the Node that runs it, if one does */
  readonly node?: string;
  readonly within?: readonly string[];
}

/** @param put puts the program into the folder */
export async function openPlaceOf(
  put: (folder: string) => Promise<string>,
  { node, within: always = [] }: ProgramOptions,
): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-one-file-'));
  const [programs, temporary, runtime] = ['programs', 'temporary', 'runtime'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [programs, temporary, runtime, join(folder, 'home')]) await mkdir(each, { mode: 0o700 });
  const file = await put(folder);
  const env = {
    CONCLAVE_DATA_DIR: join(folder, 'data'),
    CONCLAVE_MAIL_DOMAIN: 'home.example',
    CONCLAVE_MASTER_PASSWORD: 'of a vault that is gone in a minute',
    HOME: join(folder, 'home'),
    PATH: node === undefined ? programs : `${programs}:${node}:/usr/bin:/bin`,
    TMPDIR: temporary,
    XDG_RUNTIME_DIR: runtime,
  };

  const run: Place['run'] = async (words, { variables = {}, input = '', within = [] } = {}) => {
    const [command, ...others] = [...within, ...always, file];
    const options = { cwd: folder, env: { ...env, ...variables }, extendEnv: false, input, reject: false } as const;
    const { exitCode, stdout, stderr } = await execa(command, [...others, ...words], options);
    return { exitCode, stdout, stderr };
  };

  return {
    folder,
    file,
    env,
    run,
    async must(words, more) {
      const { exitCode, stdout, stderr } = await run(words, more);
      if (exitCode !== 0) throw new Error(`conclave ${words.join(' ')} ended with ${exitCode}: ${stderr}`);
      return stdout;
    },
    async serve(words = [], variables = {}) {
      const [command, ...others] = [...always, file];
      const child = spawn(command, [...others, 'serve', '--port', '0', ...words], {
        cwd: folder,
        env: { ...env, ...variables },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
      const stop = async (): Promise<number | null> => await ended(child);
      while (!/"listening"/.test(said)) {
        if (child.exitCode !== null) throw new Error(`conclave serve ended with ${child.exitCode}: ${said}`);
        await Promise.race([once(child.stderr, 'data'), once(child, 'exit')]);
      }
      const url = /Conclave serves (\S+)/.exec(said)?.[1] ?? '';
      return { url, said: () => said, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
    },
    async program(name, script) {
      await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`);
      await chmod(join(programs, name), 0o755);
    },
    left: async () => {
      const shared = (await readdir('/dev/shm').catch(() => [])).filter((name) => name.startsWith('.conclave-'));
      return [...(await readdir(temporary)), ...shared];
    },
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true }),
  };
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  }
  return child.exitCode;
}
