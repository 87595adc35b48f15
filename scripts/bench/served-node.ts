import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The built program, as npm installs it. */
export const program = fileURLToPath(new URL('../../bin/run.js', import.meta.url));

export interface ServedNode extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  /** Of a user who is signed in as the administrator, and has no other settings. */
  readonly env: NodeJS.ProcessEnv;
}

/** A fresh node behind `conclave serve` on a free port, in a process of its own. Needs `npm run build`. */
export async function serveNode(options: readonly string[] = []): Promise<ServedNode> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
  const dataDir = join(folder, 'data');
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    CONCLAVE_DATA_DIR: dataDir,
    TMPDIR: folder,
  };
  const conclave = async (...line: string[]): Promise<void> => {
    await promisify(execFile)(process.execPath, [program, ...line], { env });
  };
  await conclave('init', '--generate-password');
  const note = await readFile(join(dataDir, 'first-administrator.txt'), 'utf8');
  const [username, password] = ['username', 'password'].map(
    (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(note)?.[1] ?? '',
  );
  const server = spawn(process.execPath, [program, 'serve', '--port', '0', ...options], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stop = async (): Promise<void> => {
    if (server.exitCode === null && server.signalCode === null) {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
    await rm(folder, { recursive: true });
  };
  try {
    const url = await firstUrl(server.stdout);
    await writeFile(join(folder, 'password'), password ?? '', { mode: 0o600 });
    await conclave('login', username ?? '', '--password-file', join(folder, 'password'));
    return { url, pid: server.pid ?? 0, dataDir, env, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Goes on reading afterwards, since a server whose output nobody takes ends. */
async function firstUrl(output: Readable): Promise<string> {
  return await new Promise((resolve, reject) => {
    let said = '';
    output.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const url = /https?:\/\/\S+(?=\s)/.exec(said)?.[0];
      if (url) resolve(url);
    });
    output.on('end', () => reject(new Error(`conclave serve ended before it said where it listens: ${said}`)));
  });
}
