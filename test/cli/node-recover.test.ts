import { describe, expect, it } from 'vitest';
import Head from '../../commands/ledger/head.ts';
import Recover from '../../commands/node/recover.ts';
import { transaction, type Context } from '../../src/service/context.ts';
import { appendEntry } from '../../src/platform/ledger/append.ts';
import { stopSigning } from '../../src/platform/ledger/witness/stop.ts';
import { openHome, ways } from './home.ts';

async function fill(context: Context): Promise<void> {
  for (let count = 0; count < 3; count += 1)
    await transaction(context, (tx) => appendEntry(tx, { type: 'POOL_ACL', data: { count } }));
}

/** A node whose store has four entries, and that signed nine. */
async function putBack(context: Context): Promise<void> {
  await fill(context);
  const origin = `conclave/${context.keys.nodeId}`;
  await stopSigning(context, 'rolled-back', { toldBy: 'ledger.mark', origin, size: 9, root: 'ab'.repeat(32) });
}

const question = 'Begin a new log?';
const local = ways.filter((way) => way !== 'url');

describe.each(local)('conclave node recover by %s', (way) => {
  it('has nothing to do when the node signs', async () => {
    await using home = await openHome(way, { prepare: fill });
    for (const argv of [[], ['--yes']]) {
      const run = await home.operate(Recover, argv);
      expect(run).toMatchObject({ code: 7, stdout: '' });
      expect(run.stderr).toContain('so there is nothing to recover');
    }
    expect(JSON.parse((await home.operate(Recover, ['--json'])).stderr)).toMatchObject({
      error: { code: 'NODE_NOT_STOPPED' },
    });
  });

  it('says what it would do, and does nothing without a confirmation', async () => {
    await using home = await openHome(way, { prepare: putBack });
    const before = (await home.operate(Head, ['--json'])).json();
    expect(before.stopped).toMatchObject([{ kind: 'rolled-back' }]);
    const blind = await home.operate(Recover);
    expect(blind).toMatchObject({ code: 2, stdout: '' });
    expect(blind.stderr).toContain('--yes');
    expect(blind.stderr).toContain('At least 5 entries that were signed are not in this store.');
    const asked = await home.operate(Recover, [], { person: [[question, 'n']] });
    expect(asked).toMatchObject({ code: 2, stdout: '' });
    expect(asked.stderr).toContain('Nothing was changed.');
    const shown = asked.stderr.slice(0, asked.stderr.indexOf(question)).split('\n').slice(0, -1);
    expect(shown.length).toBeGreaterThan(6);
    for (const line of shown) expect(line.length).toBeLessThanOrEqual(80);
    expect((await home.operate(Head, ['--json'])).json()).toEqual(before);
    expect((await home.operate(Recover, ['everything'])).code).toBe(2);
  });

  it.each([
    ['a person', []],
    ['--yes', ['--yes']],
  ] as const)('begins a new log when %s confirms it', async (who, argv) => {
    await using home = await openHome(way, { prepare: putBack });
    const { logKey } = (await home.operate(Head, ['--json'])).json();
    const run = await home.operate(Recover, argv, who === 'a person' ? { person: [[question, 'y']] } : {});
    expect(run.code).toBe(0);
    const now = (await home.operate(Head, ['--json'])).json();
    expect(now).toMatchObject({ stopped: [], size: 6, genesis: 4 });
    expect(now.logKey).not.toBe(logKey);
    expect(run.stdout).toContain(`Its log key is now:\n${now.logKey}\n`);
    expect((await home.operate(Recover, ['--yes'])).code).toBe(7);
  });

  it('answers in JSON', async () => {
    await using home = await openHome(way, { prepare: putBack });
    const done = (await home.operate(Recover, ['--yes', '--json'])).json();
    expect(done).toMatchObject({ recovers: { size: 9 }, missing: 5, size: 6, stopped: [{ kind: 'rolled-back' }] });
  });
});

describe('conclave node recover from another machine', () => {
  it('is refused', async () => {
    await using home = await openHome('url', { prepare: putBack });
    const run = await home.run(Recover, ['--yes']);
    expect(run).toMatchObject({ stdout: '' });
    expect(run.code).toBeGreaterThan(0);
    expect((await home.operate(Head, ['--json'])).json().stopped).toHaveLength(1);
  });
});
