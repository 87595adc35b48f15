import { once } from 'node:events';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, type Bundle } from '../../../support/bundle.ts';
import { slowLink } from '../../../support/slow-link.ts';
import { temporaryFolder } from '../../../support/stores.ts';

const MEBIBYTE = 1024 ** 2;
/** `CONCLAVE_STREAM_BLOCKS=256` makes it a gibibyte. */
const blocks = Number(process.env['CONCLAVE_STREAM_BLOCKS'] ?? 24);
const size = 4 * MEBIBYTE;

let program: Bundle;
beforeAll(async () => {
  program = await bundle('test/support/stream-process.ts');
});
afterAll(async () => await program[Symbol.asyncDispose]());

interface Grown {
  readonly total?: number;
  readonly grown: { readonly rss: number };
}

describe('a set of blocks over a slow link', () => {
  it('takes less than 32 MiB of memory on either side', { timeout: 1_200_000 }, async () => {
    await using folder = await temporaryFolder();
    const start = (...how: string[]) =>
      execa(process.execPath, ['--max-old-space-size=64', '--max-semi-space-size=4', program.path, ...how], {
        env: { NODE_OPTIONS: '' },
      });
    const serving = start('serve', `${folder.path}/one`);
    const [line] = (await once(serving.stdout, 'data')) as [Buffer];
    const [, port = '', peerId = ''] = /\/tcp\/(\d+)\/p2p\/(\w+)/.exec(line.toString()) ?? [];
    await using link = await slowLink(Number(port), 16 * MEBIBYTE);
    const address = `/ip4/127.0.0.1/tcp/${link.port}/p2p/${peerId}`;
    const fetched = await start('fetch', `${folder.path}/two`, address, String(blocks), String(size));
    serving.stdin.end();
    const served = await serving;
    const sides = [fetched, served].map(({ stdout }) => JSON.parse(stdout.split('\n').at(-1) ?? '') as Grown);
    expect(sides[0]?.total).toBe(blocks * size);
    expect(link.passed).toBeGreaterThan(blocks * size);
    for (const { grown } of sides) {
      // What V8 has not cleared away yet counts as well.
      expect(grown.rss, JSON.stringify(sides)).toBeLessThan(32 * MEBIBYTE);
    }
  });
});
