import { defaultDataDir } from '../config/paths.ts';
import { serverName, parseServer } from '../client/server-address.ts';
import { readServerChoice } from '../client/server-choice.ts';
import { listSignIns, signInFolder } from '../client/sign-ins.ts';
import { resolve } from 'node:path';
import { homedir } from 'node:os';
import type { Screen } from './screen.ts';
import { table } from './table.ts';

/** A server that commands can use, or the store on this machine. */
export interface ListedServer {
  /** an address, or `local` */
  readonly server: string;
  /** what commands use that name no other */
  readonly current: boolean;
  /** of whoever is signed in there */
  readonly username: string | null;
  readonly ca: string | null;
}

/** What `conclave server use` takes for the store on this machine. */
export const thisMachine = 'local';

/** This machine first, then every server that somebody signed in at or chose. */
export async function listServers(env: NodeJS.ProcessEnv): Promise<ListedServer[]> {
  const folder = signInFolder(env);
  const [{ current, servers }, signIns] = await Promise.all([readServerChoice(folder), listSignIns(folder)]);
  const remote = [...signIns.keys()].filter((place) => !place.startsWith('local:'));
  const addresses = [...new Set([...Object.keys(servers), ...remote])].toSorted();
  const dataDir = resolve(env['CONCLAVE_DATA_DIR'] || defaultDataDir(env, homedir()));
  return [
    {
      server: thisMachine,
      current: current === undefined,
      username: signIns.get(`local:${dataDir}`)?.username ?? null,
      ca: null,
    },
    ...addresses.map((server) => ({
      server,
      current: server === current,
      username: signIns.get(server)?.username ?? null,
      ca: (Object.hasOwn(servers, server) ? servers[server]?.ca : undefined) ?? null,
    })),
  ];
}

/** An address as people write it, in the form in which it is kept. @throws Problem invalid SERVER_INVALID */
export function serverNamed(text: string): string {
  return serverName(parseServer(text));
}

export function serverTable(screen: Screen, servers: readonly ListedServer[]): string {
  return table(screen, servers, [
    { title: 'SERVER', of: ({ server }) => server, whole: true },
    { title: 'IN USE', of: ({ current }) => (current ? 'yes' : '-') },
    { title: 'SIGNED IN AS', of: ({ username }) => username ?? '-' },
    { title: 'CERTIFICATE', of: ({ ca }) => ca ?? '-' },
  ]);
}
