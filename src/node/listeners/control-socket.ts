import { chmod, mkdtemp, rename, rm, stat, unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { controlSocketName } from '../../config/paths.ts';
import { socketPath } from '../../platform/store/socket-path.ts';

export interface ControlSocket extends AsyncDisposable {
  readonly path: string;
}

/**
 * Makes a server listen on the control socket of a data directory, which only the directory's owner can open. A socket that a killed server
 * left is replaced. If two servers run on one directory (PostgreSQL allows it), the first one keeps the socket.
 *
 * @returns undefined if another running server has the socket
 * @throws Problem invalid PATH_TOO_LONG
 */
export async function openControlSocket(dataDir: string, server: Server): Promise<ControlSocket | undefined> {
  using at = socketPath(dataDir, controlSocketName);
  if (await answers(at.path)) return undefined;
  if (process.platform === 'win32') {
    await listen(server, at.path);
    return { path: at.path, [Symbol.asyncDispose]: () => closed(server) };
  }
  const path = join(dataDir, controlSocketName);
  // The socket is created in a private folder and then moved. So other users can never open it, and it appears only when it is ready.
  const folder = await mkdtemp(join(dataDir, '.c'));
  try {
    const temporary = join(folder, 's');
    await listen(server, join(dirname(at.path), basename(folder), 's'));
    await chmod(temporary, 0o600);
    await rename(temporary, path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const { ino } = await stat(path);
  return {
    path,
    async [Symbol.asyncDispose]() {
      await closed(server);
      const now = await stat(path).catch(() => undefined);
      if (now?.ino === ino) await unlink(path).catch(() => undefined);
    },
  };
}

async function listen(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => void server.close(() => resolve()));
}

async function answers(path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
