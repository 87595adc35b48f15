import { cp } from 'node:fs/promises';
import { inject } from 'vitest';
import { requestOf } from '../../src/client/request.ts';
import { loadConfig } from '../../src/config/load.ts';
import { members } from '../../src/contract/accounts/members.ts';
import { openEngine } from '../../src/node/engine.ts';
import { silentLog } from '../../src/base/log.ts';
import { cheapCosts } from './cheap-costs.ts';

/** The administrator of every prepared home. */
export const root = {
  username: 'root',
  email: 'root@home.test',
  password: 'seven quiet otters by the pier',
} as const;

/**
 * Puts there what `conclave init` makes in a data directory: the store, the node secret and an administrator. It is made once in a run,
 * before the tests, and copied from then on, which takes a tenth of the time; so all of them are one node with one administrator.
 */
export async function lendHome(dataDir: string): Promise<void> {
  await cp(inject('preparedHome'), dataDir, { recursive: true });
}

/** A home of its own: another node, with the same name and password of its administrator. */
export async function makeHome(dataDir: string): Promise<void> {
  const { config, secrets } = await loadConfig({
    flags: { 'data-dir': dataDir },
    env: {},
    home: dataDir,
    cwd: dataDir,
  });
  const options = { create: true, command: 'a test', log: silentLog };
  await using engine = await openEngine({ ...config, ...cheapCosts(config) }, secrets, options);
  const { method, path, headers, body } = requestOf(members.createAdministrator, root);
  const request = new Request(`http://home.test${path}`, {
    method,
    headers: { ...headers, authorization: `Bearer ${await engine.operatorToken()}` },
    ...(body !== undefined && { body }),
  });
  const response = await engine.fetch(request);
  if (response.status !== 201) throw new Error(`no administrator: ${response.status} ${await response.text()}`);
}
