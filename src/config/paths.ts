import { realpathSync } from 'node:fs';
import { join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** XDG Base Directory Specification 0.8: `$XDG_DATA_HOME`, if it is absolute, or `~/.local/share`. */
export function defaultDataDir(env: Environment, home: string): string {
  const data = env['XDG_DATA_HOME'];
  return join(data?.startsWith('/') === true ? data : join(home, '.local', 'share'), 'conclave');
}

/** The socket over which a running server is reached by its own user; see store/socket-path.ts for where it is. */
export const controlSocketName = 'control.sock';

export function controlSocketPath(dataDir: string): string {
  if (process.platform !== 'win32') return join(dataDir, controlSocketName);
  // Loaded here, since everybody needs this file and few are on Windows.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const key = createHash('sha256').update(realpathSync(dataDir).toLowerCase()).digest('hex').slice(0, 32);
  return `\\\\.\\pipe\\conclave-${key}-${controlSocketName}`;
}

export function nodeSecretPath(dataDir: string): string {
  return join(dataDir, 'node.secret');
}
