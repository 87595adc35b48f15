import { access, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { jobKinds } from '../../src/node/listeners/background.ts';
import { services } from '../../src/node/services.ts';

/** The lines of the table, without its head: queue, rule and test. */
async function table(): Promise<string[][]> {
  const text = await readFile(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
  const [, after = ''] = text.split('\n## Queues\n');
  const [part = ''] = after.split('\n## ');
  const lines = part.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

const quoted = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** Channels and topics between nodes. */
async function heardOnNetwork(): Promise<string[]> {
  const { openHouse } = await import('../support/house.ts');
  const { noGossip } = await import('../../src/service/ports/network.ts');
  await using house = await openHouse('sqljs');
  const heard: string[] = [];
  const note = (name: string) => void heard.push(name);
  const gossip = { ...noGossip, receive: note, subscribe: note };
  for (const { network } of services) await network?.({ ...house.ctx, gossip });
  return heard;
}

const named = async (): Promise<string[]> => (await table()).flatMap(([queue]) => quoted(queue));
const kinds = jobKinds(services);

describe('the table of queues in the architecture', () => {
  it('has a line for each kind of job, with its rule for a bad item and a test', async () => {
    const names = await named();
    expect(kinds.filter((kind) => !names.includes(kind))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    for (const [queue, rule, test] of await table()) {
      expect(rule, queue).not.toBe('');
      const [path = ''] = quoted(test);
      await expect(access(new URL(`../../${path}`, import.meta.url)), queue).resolves.toBeUndefined();
    }
  });

  it(
    'has one for each channel and topic between nodes, and names nothing that is gone',
    { tags: 'thorough' },
    async () => {
      const names = await named();
      const heard = await heardOnNetwork();
      expect(heard.filter((name) => !names.includes(name))).toEqual([]);
      const others = names.filter((name) => !kinds.includes(name) && !heard.includes(name));
      expect(others).toEqual(['apart', '/filevault/destroy/batch', 'conclave mail sync', 'conclave files sync']);
    },
  );
});
