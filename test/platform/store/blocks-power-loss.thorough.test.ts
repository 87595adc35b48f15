import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BlockStore } from '../../../src/platform/store/blocks/blocks.ts';
import { lentBlocks } from '../../support/lent-blocks.ts';
import { losingDisk, type Loss } from '../../support/losing-disk.ts';
import { testRandom } from '../../support/seeded.ts';
import { temporaryFolder } from '../../support/stores.ts';

interface Crash {
  readonly folder: string;
  /** blocks that were acknowledged by then, and not to be deleted */
  readonly acknowledged: readonly string[];
  readonly deleted: readonly string[];
}

async function idsOf(blocks: BlockStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of blocks.list()) ids.push(id);
  return ids;
}

describe('check 24, a loss of power', () => {
  it.each<[string, (random: () => number) => Loss]>([
    ['takes all that was not flushed', () => 'nothing'],
    ['takes all content that was not flushed, and leaves names', () => 'names'],
    ['takes what chance decides', (random) => random],
  ])('%s, and no block that was acknowledged; none is there in part', async (_, lossOf) => {
    await using place = await temporaryFolder();
    const root = join(place.path, 'data');
    await mkdir(root);
    const random = testRandom();
    const losing = losingDisk(root);
    const blocks = lentBlocks(root, losing.files);
    const crashes: Crash[] = [];
    const acknowledged = new Set<string>();
    const deleted = new Set<string>();
    losing.onChange = () => {
      const folder = join(place.path, `crash-${crashes.length}`);
      losing.loseInto(folder, lossOf(random));
      crashes.push({ folder, acknowledged: [...acknowledged], deleted: [...deleted] });
    };
    for (let at = 0; at < 6; at += 1) {
      // The same again is acknowledged as well.
      for (let turn = 0; turn < 2; turn += 1) {
        const { id } = await blocks.put(Buffer.alloc(1 + at * 50_000, at));
        acknowledged.add(id);
      }
      const [oldest] = acknowledged;
      if (at !== 3 || oldest === undefined) continue;
      acknowledged.delete(oldest);
      await blocks.delete(oldest);
      deleted.add(oldest);
    }
    losing.onChange();
    losing.onChange = () => {};
    expect(crashes.length).toBeGreaterThan(40);
    for (const crash of crashes) {
      const found = lentBlocks(crash.folder);
      const ids = await idsOf(found);
      expect(ids).toEqual(expect.arrayContaining([...crash.acknowledged]));
      for (const id of crash.deleted) expect(ids).not.toContain(id);
      for (const id of ids) expect(await found.verify(id)).toBe(true);
    }
  });

  it('takes no block that two stored at once, or one after a disk error', async () => {
    await using place = await temporaryFolder();
    const fault = Object.assign(new Error('made by a test'), { code: 'EIO' });
    let [changes, faults] = [1, 0];
    for (let failing = 1; failing <= changes; failing += 1) {
      const root = join(place.path, `data-${failing}`);
      await mkdir(root);
      const losing = losingDisk(root);
      const content = Buffer.alloc(100_000, failing);
      // The folders are there.
      const { id: wanted } = await lentBlocks(root, losing.files).put(content);
      await lentBlocks(root, losing.files).delete(wanted);
      const blocks = lentBlocks(root, losing.files);
      changes = 0;
      losing.onChange = () => {
        changes += 1;
        if (changes === failing) throw fault;
      };
      const kept = async (name: string, work: Promise<unknown>): Promise<void> => {
        await work;
        const folder = join(root, '..', `${name}-${failing}`);
        losing.loseInto(folder, 'nothing');
        expect([failing, name, await idsOf(lentBlocks(folder))]).toEqual([failing, name, [wanted]]);
      };
      const both = await Promise.allSettled([kept('one', blocks.put(content)), kept('other', blocks.put(content))]);
      const failed = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(failed.filter((reason) => reason !== fault)).toEqual([]);
      faults += failed.length;
      losing.onChange = () => undefined;
      await kept('again', blocks.put(content));
    }
    expect(faults).toBeGreaterThan(5);
  });
});
