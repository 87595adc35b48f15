import { realpathSync } from 'node:fs';
import { join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** XDG Base Directory Specification 0.8: `$XDG_DATA_HOME` if it is absolute, otherwise `~/.local/share`. */
export function defaultDataDir(env: Environment, home: string): string {
  const data = env['XDG_DATA_HOME'];
  return join(data?.startsWith('/') === true ? data : join(home, '.local', 'share'), 'conclave');
}

/** The socket over which the user of a running server reaches it; platform/store/socket-path.ts determines its path. */
export const controlSocketName = 'control.sock';

export function controlSocketPath(dataDir: string): string {
  if (process.platform !== 'win32') return join(dataDir, controlSocketName);
  // This module is loaded here because every command needs this file, but only Windows needs the module.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const key = createHash('sha256').update(realpathSync(dataDir).toLowerCase()).digest('hex').slice(0, 32);
  return `\\\\.\\pipe\\conclave-${key}-${controlSocketName}`;
}

export function nodeSecretPath(dataDir: string): string {
  return join(dataDir, 'node.secret');
}
