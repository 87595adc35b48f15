import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { defaultDataDir } from '../config/paths.ts';
import { parseServer, serverName } from './server-address.ts';
import { readServerChoice } from './server-choice.ts';
import { signInFolder } from './sign-ins.ts';

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
  /** what the command does is done on this machine: the server that others use doesn't count */
  readonly here?: boolean | undefined;
}

export type Target =
  | { readonly kind: 'remote'; readonly address: URL; readonly ca: string | undefined }
  | { readonly kind: 'local'; readonly dataDir: string };

/** Variables that say that the store on this machine is meant. */
const localVariables = ['CONCLAVE_DATA_DIR', 'CONCLAVE_CONFIG', 'CONCLAVE_DATABASE'] as const;

/**
 * A flag goes before a variable, a server before a data directory, and all of them before the server that somebody signed in at by
 * `--server`.
 */
export async function chooseTarget(choice: TargetChoice): Promise<Target> {
  const { env, here = false } = choice;
  const local = here || choice.dataDir !== undefined || choice.config !== undefined || choice.database !== undefined;
  const named = choice.server ?? (local ? undefined : env['CONCLAVE_SERVER'] || undefined);
  if (named === undefined && (local || localVariables.some((name) => env[name])))
    return { kind: 'local', dataDir: await localDataDir(choice) };
  const { current, servers } = await readServerChoice(signInFolder(env));
  const server = named ?? current;
  if (server === undefined) return { kind: 'local', dataDir: await localDataDir(choice) };
  const address = parseServer(server);
  const kept = Object.entries(servers).find(([name]) => name === serverName(address))?.[1].ca;
  return { kind: 'remote', address, ca: choice.ca ?? (env['CONCLAVE_CA'] || kept) };
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
