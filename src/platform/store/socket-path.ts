import { createHash } from 'node:crypto';
import { closeSync, openSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../../base/problem.ts';

/** The size of sun_path with its NUL: 108 bytes on Linux, 104 on macOS and the BSDs. */
const maximumBytes = 103;

export interface SocketPath extends Disposable {
  /** for `net.connect` and `server.listen`; valid until disposed */
  readonly path: string;
}

/**
 * The path of a socket in the data directory. On Windows it is a pipe named after the directory. On Linux, a directory whose path is too
 * long for a socket is reached by its descriptor.
 * @throws Problem invalid PATH_TOO_LONG for too long a path on other systems
 */
export function socketPath(dataDir: string, name: string): SocketPath {
  if (process.platform === 'win32') {
    const key = createHash('sha256').update(realpathSync(dataDir).toLowerCase()).digest('hex').slice(0, 32);
    return { path: `\\\\.\\pipe\\conclave-${key}-${name}`, [Symbol.dispose]() {} };
  }
  const path = join(dataDir, name);
  if (Buffer.byteLength(path) <= maximumBytes) return { path, [Symbol.dispose]() {} };
  if (process.platform === 'linux') {
    const fd = openSync(dataDir, 'r');
    return { path: `/proc/self/fd/${fd}/${name}`, [Symbol.dispose]: () => closeSync(fd) };
  }
  throw new Problem(
    'invalid',
    'PATH_TOO_LONG',
    `The path of the data directory is too long for a socket: ${Buffer.byteLength(path)} bytes with /${name}, and at most ${maximumBytes} are possible. Choose a shorter path`,
  );
}
