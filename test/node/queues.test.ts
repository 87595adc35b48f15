import { access, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { jobKinds } from '../../src/node/listeners/background.ts';
import { services } from '../../src/node/services.ts';
import { noGossip } from '../../src/service/ports/network.ts';
import { openHouse } from '../support/house.ts';

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
  await using house = await openHouse('sqljs');
  const heard: string[] = [];
  const note = (name: string) => void heard.push(name);
  const gossip = { ...noGossip, receive: note, subscribe: note };
  for (const { network } of services) await network?.({ ...house.ctx, gossip });
  return heard;
}

it('each queue has a line in the architecture, with its rule for a bad item and a test', async () => {
  const rows = await table();
  const named = rows.flatMap(([queue]) => quoted(queue));
  const kinds = jobKinds(services);
  const heard = await heardOnNetwork();
  expect([...kinds, ...heard].filter((name) => !named.includes(name))).toEqual([]);
  // Of jobs, none is named that is gone, and none twice.
  expect(new Set(named).size).toBe(named.length);
  const others = named.filter((name) => !kinds.includes(name) && !heard.includes(name));
  expect(others).toEqual(['apart', '/filevault/destroy/batch', 'conclave mail sync', 'conclave files sync']);
  for (const [queue, rule, test] of rows) {
    expect(rule, queue).not.toBe('');
    const [path = ''] = quoted(test);
    await expect(access(new URL(`../../${path}`, import.meta.url)), queue).resolves.toBeUndefined();
  }
});
