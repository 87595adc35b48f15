import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { defaultDataDir } from '../config/paths.ts';
import { parseServer } from './server-address.ts';

/** What says where a command's calls go: flags and variables, in the order in which they count. */
export interface TargetChoice {
  readonly server?: string | undefined;
  readonly dataDir?: string | undefined;
  /** a configuration file, which may name the data directory */
  readonly config?: string | undefined;
  /** a PostgreSQL database instead of the embedded store, where no server runs */
  readonly database?: string | undefined;
  /** certificate authority or fingerprint, see trust.ts */
  readonly ca?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

export type Target =
  | { readonly kind: 'remote'; readonly address: URL; readonly ca: string | undefined }
  | { readonly kind: 'local'; readonly dataDir: string };

/** A flag goes before a variable, and a server before a data directory. */
export async function chooseTarget(choice: TargetChoice): Promise<Target> {
  const { env } = choice;
  const local = choice.dataDir !== undefined || choice.config !== undefined;
  const server = choice.server ?? (local ? undefined : env['CONCLAVE_SERVER'] || undefined);
  if (server !== undefined) {
    return { kind: 'remote', address: parseServer(server), ca: choice.ca ?? (env['CONCLAVE_CA'] || undefined) };
  }
  return { kind: 'local', dataDir: await localDataDir(choice) };
}

/** The configuration is read only where it alone can say where the data is: reading it costs a short command a tenth of its time. */
async function localDataDir({ dataDir, config, env }: TargetChoice): Promise<string> {
  if (dataDir !== undefined) return resolve(dataDir);
  if (config !== undefined || env['CONCLAVE_CONFIG']) {
    const { loadConfig } = await import('../config/load.ts');
    return (await loadConfig({ flags: { config }, env })).config.dataDir;
  }
  return resolve(env['CONCLAVE_DATA_DIR'] || defaultDataDir(env, homedir()));
}
