import { defaultDataDir } from '../../config/paths.ts';
import { serverName, parseServer } from '../../client/server-address.ts';
import { forgetServer, readServerChoice, useServer, useThisMachine } from '../../client/server-choice.ts';
import { listServerKeys, removeServerKey } from '../../client/server-keys.ts';
import { listSignIns, readSignIn, removeSignIn, signInFolder } from '../../client/sign-ins.ts';
import { readTrust } from '../../client/trust.ts';
import { Problem } from '../../base/problem.ts';
import { resolve } from 'node:path';
import { homedir } from 'node:os';
import type { Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';

/** A server that commands can use, or the store on this machine. */
export interface ListedServer {
  /** an address, or `local` */
  readonly server: string;
  /** whether commands without `--server` use it */
  readonly current: boolean;
  /** the account that is signed in there */
  readonly username: string | null;
  readonly ca: string | null;
  /** the node id that the server proved at the first sign-in; it must prove the same id at the next one */
  readonly nodeId: string | null;
}

/** The name that `conclave server use` accepts for the store on this machine. */
const thisMachine = 'local';

/** Lists this machine first, then each server with a sign-in, that was chosen, or whose node is known from an earlier sign-in. */
export async function listServers(env: NodeJS.ProcessEnv): Promise<ListedServer[]> {
  const folder = signInFolder(env);
  const [{ current, servers }, signIns, keys] = await Promise.all([
    readServerChoice(folder),
    listSignIns(folder),
    listServerKeys(folder),
  ]);
  const remote = [...signIns.keys(), ...Object.keys(keys)].filter((place) => !place.startsWith('local:'));
  const addresses = [...new Set([...Object.keys(servers), ...remote])].toSorted();
  // Loaded here, because signature code is large and only lists need it.
  const { nodeIdOfKey } = await import('../../client/server-identity.ts');
  const nodeId = (server: string): string | null => {
    const key = Object.hasOwn(keys, server) ? keys[server]?.publicKey : undefined;
    return (key === undefined ? undefined : nodeIdOfKey(key)) ?? null;
  };
  const dataDir = resolve(env['CONCLAVE_DATA_DIR'] || defaultDataDir(env, homedir()));
  return [
    {
      server: thisMachine,
      current: current === undefined,
      username: signIns.get(`local:${dataDir}`)?.username ?? null,
      ca: null,
      nodeId: null,
    },
    ...addresses.map((server) => ({
      server,
      current: server === current,
      username: signIns.get(server)?.username ?? null,
      ca: (Object.hasOwn(servers, server) ? servers[server]?.ca : undefined) ?? null,
      nodeId: nodeId(server),
    })),
  ];
}

/**
 * Makes a server the default of later commands; `local` is the store on this machine.
 *
 * @throws Problem invalid SERVER_INVALID, CA_INVALID, USAGE
 */
export async function chooseServer(env: NodeJS.ProcessEnv, named: string, ca: string | undefined) {
  const folder = signInFolder(env);
  if (named === thisMachine) {
    if (ca !== undefined)
      throw new Problem('invalid', 'USAGE', '--ca works only with a server: local has no certificate.');
    await useThisMachine(folder);
    return { server: thisMachine };
  }
  const server = serverName(parseServer(named));
  if (ca !== undefined) await readTrust(ca);
  await useServer(folder, server, ca);
  return { server, username: (await readSignIn(folder, server))?.username ?? null };
}

/** Reads the stored data of a server. @throws Problem missing SERVER_UNKNOWN */
export async function knownServer(env: NodeJS.ProcessEnv, named: string): Promise<ListedServer> {
  const server = serverName(parseServer(named));
  const known = (await listServers(env)).find((one) => one.server === server);
  if (known !== undefined) return known;
  throw new Problem('missing', 'SERVER_UNKNOWN', `The server ${server} is not known. See: conclave server list`);
}

/** Removes the sign-in at a server, even if its session has not ended, and the settings for the connection to it. */
export async function dropServer(env: NodeJS.ProcessEnv, server: string): Promise<void> {
  const folder = signInFolder(env);
  const left = await readSignIn(folder, server);
  if (left !== undefined) await removeSignIn(folder, server, left.token);
  await forgetServer(folder, server);
  await removeServerKey(folder, server);
}

export function serverTable(screen: Screen, servers: readonly ListedServer[]): string {
  return table(screen, servers, [
    { title: 'SERVER', of: ({ server }) => server, whole: true },
    { title: 'IN USE', of: ({ current }) => (current ? 'yes' : '-') },
    { title: 'SIGNED IN AS', of: ({ username }) => username ?? '-' },
    { title: 'NODE', of: ({ nodeId }) => nodeId ?? '-', whole: true },
    { title: 'CERTIFICATE', of: ({ ca }) => ca ?? '-' },
  ]);
}
