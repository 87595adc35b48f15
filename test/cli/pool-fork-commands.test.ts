import { describe, expect, it } from 'vitest';
import AclUpdate from '../../commands/admin/nodes/acl/update.ts';
import Resolve from '../../commands/admin/nodes/acl/resolve.ts';
import Status from '../../commands/pool/status.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openEngine } from '../../src/node/engine.ts';
import { silentLog } from '../../src/base/log.ts';
import { wireOf } from '../../src/crypto/formats/access-list/chain.ts';
import { ensureList } from '../../src/services/pool/acl/commit.ts';
import { receiveBranch } from '../../src/services/pool/acl/receive.ts';
import { listAfter } from '../services/pool/pool-scene.ts';
import { openHome, type Home } from './home.ts';

/** Another list after the first one, as a copy of this node signed it. @returns its hash */
async function fork(home: Home): Promise<string> {
  const { config, secrets } = await loadConfig({
    flags: {},
    env: { CONCLAVE_DATA_DIR: home.dataDir, HOME: home.folder },
  });
  await using engine = await openEngine(config, secrets, { log: silentLog });
  const { context } = engine;
  const first = await ensureList(context);
  const mine = listAfter(first, { mode: 'closed' }, context.keys.identity);
  const other = listAfter(first, { mode: 'open' }, context.keys.identity);
  await receiveBranch(context, first, [wireOf(mine)], context.keys.nodeId);
  await receiveBranch(context, first, [wireOf(other)], context.keys.nodeId);
  return other.hash;
}

describe('a fork of the access list', () => {
  it('is told by the status within 80 columns, and resolved after what is dropped was shown', async () => {
    await using home = await openHome('process');
    const other = await fork(home);
    const status = (await home.run(Status, ['--json'])).json();
    expect(status.forks).toMatchObject([{ version: 2, other, signedBy: 'one', decidedBy: 'rule', lists: 1 }]);
    const shown = await home.run(Status, [], { person: [] });
    expect(shown.stdout).toContain('version 2: one administrator signed both lists');
    expect(shown.stdout).toContain(`acl resolve --adopt ${other.slice(0, 12)}`);
    const rows = shown.stdout.split('\n').filter((line) => /^\S*(?:Fork|Counts|Does not)/.test(line));
    expect(rows.length).toBeGreaterThanOrEqual(3);
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(80);

    const silent = await home.run(Resolve, ['--adopt', other.slice(0, 12)]);
    expect(silent).toMatchObject({ code: 2, stdout: '' });
    expect(silent.stderr).toContain('--yes');
    expect(silent.stderr).toMatch(/^Drops +1 version$/m);
    expect((await home.run(Status, ['--json'])).json().pool.mode).toBe('closed');
    expect(await home.run(Resolve, ['--adopt', 'ab'.repeat(6), '--yes'])).toMatchObject({ code: 6 });
    expect((await home.run(Resolve, ['--adopt', other.slice(0, 12), '--yes', '--json'])).json()).toMatchObject({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const now = (await home.run(Status, ['--json'])).json();
    expect(now.forks).toMatchObject([{ counting: other, decidedBy: 'administrator' }]);
    // The stricter mode of the other side is taken over; the administrator changes it again.
    expect(now.pool.mode).toBe('closed');
    expect((await home.run(AclUpdate, ['--mode', 'open', '--json'])).json()).toEqual({ aclVersion: 4 });
  });
});
