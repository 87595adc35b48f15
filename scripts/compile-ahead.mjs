import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { root } from './bundle.mjs';

const keepCompiled = fileURLToPath(new URL('keep-compiled.cjs', import.meta.url));

/** Runs what people run most, and keeps what V8 compiled for it in dist/ of `folder`: most functions are only compiled when they are first called. */
export async function compileAhead(folder) {
  await runMost(folder, { options: ['--require', keepCompiled] });
}

/**
 * Runs what people run most, of the program that `makeProgram` made in `folder`, on a node of its own that is gone afterwards. Each line but
 * that of the server which others ask gets what is to be `kept`. They run one after the other, so that each can go on from those before it.
 *
 * @param {string} folder
 * @param {{ options?: readonly string[], env?: NodeJS.ProcessEnv }} kept for Node, before the program and in its environment
 */
export async function runMost(folder, kept) {
  await cp(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  const home = await mkdtemp(join(tmpdir(), 'conclave-build-'));
  const program = join(folder, 'bin/run.js');
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: home,
    XDG_CONFIG_HOME: home,
    CONCLAVE_DATA_DIR: join(home, 'data'),
    CONCLAVE_NETWORK_ENABLED: 'false',
    CONCLAVE_MASTER_PASSWORD: 'of a vault that is gone in a second',
  };
  const keeping = (...line) => start([...(kept.options ?? []), program, ...line], { ...env, ...kept.env });
  try {
    await ended(keeping('init', '--generate-password'));
    const serving = await ready(keeping('serve', '--port', '0'));
    await settled(serving);
    await stopped(serving);

    const server = await ready(start([program, 'serve', '--port', '0'], env));
    try {
      const note = await readFile(join(home, 'data/first-administrator.txt'), 'utf8');
      const [username, password] = ['username', 'password'].map((name) => note.match(`${name}: (.*)`)[1]);
      await writeFile(join(home, 'password'), password);
      await ended(keeping('login', username, '--password-file', join(home, 'password')));
      for (const line of [
        'whoami',
        'status',
        'vault create Mine',
        'vault add Mine/Mail username=me --generate',
        'vault list',
        'vault list Mine',
        'vault get Mine/Mail',
        'vault generate',
      ])
        await ended(keeping(...line.split(' ')));
    } finally {
      await stopped(server);
    }
  } finally {
    await rm(home, { recursive: true });
  }
}

/** So many looks, one after another, must find a process asleep. */
const LOOKS = 20;
const PAUSE_MS = 50;

/**
 * Waits until a process has nothing to do. What it does besides being ready would else be done or not, as it happens, and caches of two builds
 * would differ. Where there is no /proc, nobody compares them.
 */
async function settled({ pid }) {
  for (let asleep = 0; asleep < LOOKS; asleep = (await sleeps(pid)) ? asleep + 1 : 0) await sleep(PAUSE_MS);
}

/** Whether all threads of a process wait. One that others keep from running does not. */
async function sleeps(pid) {
  try {
    const threads = await readdir(`/proc/${pid}/task`);
    const all = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8')));
    return all.every((line) => line.slice(line.lastIndexOf(')')).startsWith(') S'));
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return true;
    throw error;
  }
}

function start(line, env) {
  const child = spawn(process.execPath, line, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (child.said += text));
  child.end = once(child, 'close');
  return child;
}

async function ended(child) {
  const [code] = await child.end;
  if (code !== 0) throw new Error(`What was built doesn't run:\n${child.spawnargs.join(' ')}\n${child.said}`);
}

async function ready(child) {
  while (!/https?:\/\/\S+\s/.test(child.said)) {
    await Promise.race([once(child.stdout, 'data'), child.end]);
    if (child.exitCode !== null) await ended(child);
  }
  return child;
}

async function stopped(child) {
  child.kill('SIGTERM');
  await ended(child);
}
