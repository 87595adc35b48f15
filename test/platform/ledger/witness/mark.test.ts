import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { issueCheckpoint } from '../../../../src/platform/ledger/issue-checkpoint.ts';
import { advanceMark, checkMark } from '../../../../src/platform/ledger/witness/mark.ts';
import { stopsOf } from '../../../../src/platform/ledger/witness/stop.ts';
import { watchLedger } from '../../../../src/platform/ledger/witness/watch.ts';
import { openHouse, type House } from '../../../support/house.ts';
import { engines } from '../../../support/stores.ts';
import { grow } from './logs.ts';

describe.each(engines)('the mark beside a store on %s', (engine) => {
  const secret = randomBytes(32);
  const mark = async ({ ctx }: House) => (await readFile(join(ctx.config.dataDir, 'ledger.mark'), 'utf8')).split('\n');
  const kinds = async ({ ctx }: House) => (await stopsOf(ctx)).map(({ kind }) => kind);
  /** another store behind the same mark, as a restore makes it */
  const put = async (house: House) =>
    await openHouse(engine, { secret, config: { dataDir: house.ctx.config.dataDir } });

  it('is written before a checkpoint leaves, and never goes back', async () => {
    await using house = await openHouse(engine, { secret });
    await grow(house, 3);
    await expect(mark(house)).rejects.toMatchObject({ code: 'ENOENT' });
    const { root } = await issueCheckpoint(house.ctx);
    const written = [
      'conclave/ledger-mark/v1',
      `conclave/${house.ctx.keys.nodeId}`,
      '4',
      Buffer.from(root).toString('hex'),
      '',
    ];
    expect(await mark(house)).toEqual(written);
    await grow(house, 3);
    await Promise.all([issueCheckpoint(house.ctx), advanceMark(house.ctx), issueCheckpoint(house.ctx)]);
    expect((await mark(house))[2]).toBe('7');
  });

  it('stops a node whose store has fewer entries, before it signs', async () => {
    await using house = await openHouse(engine, { secret });
    await grow(house, 6);
    await issueCheckpoint(house.ctx);
    await using older = await put(house);
    await grow(older, 2);
    await expect(issueCheckpoint(older.ctx)).rejects.toMatchObject({ code: 'NODE_STOPPED' });
    expect(await kinds(older)).toEqual(['rolled-back']);
    expect(older.log.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: expect.stringContaining('conclave node recover') }),
    );
    // Entries are still recorded, and the mark stays where it was.
    await grow(older, 8);
    await advanceMark(older.ctx);
    expect((await mark(older))[2]).toBe('7');
  });

  it('stops a node whose store went another way', async () => {
    await using house = await openHouse(engine, { secret });
    await grow(house, 6);
    await issueCheckpoint(house.ctx);
    await using other = await put(house);
    await grow(other, 9, 'other');
    await checkMark(other.ctx);
    expect(await kinds(other)).toEqual(['rewritten']);
  });

  it('of another node, or damaged, says nothing', async () => {
    await using house = await openHouse(engine, { secret });
    await grow(house, 2);
    const path = join(house.ctx.config.dataDir, 'ledger.mark');
    for (const text of [`conclave/ledger-mark/v1\nconclave/${'0'.repeat(40)}\n9\n${'0'.repeat(64)}\n`, 'x', '']) {
      await writeFile(path, text);
      await checkMark(house.ctx);
      expect(await kinds(house)).toEqual([]);
    }
    await issueCheckpoint(house.ctx);
    expect((await mark(house))[2]).toBe('3');
  });

  it('is compared when a server starts, and brought to the end when it stops', async () => {
    await using house = await openHouse(engine, { secret });
    await grow(house, 2);
    const controller = new AbortController();
    const running = watchLedger(house.ctx, controller.signal);
    controller.abort();
    await running;
    expect((await mark(house))[2]).toBe('3');
    await using older = await put(house);
    await grow(older, 1);
    await watchLedger(older.ctx, AbortSignal.abort());
    expect(await kinds(older)).toEqual(['rolled-back']);
  });
});
