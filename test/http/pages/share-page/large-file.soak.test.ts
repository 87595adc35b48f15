import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { openHouse } from '../../../support/house.ts';
import { hasBrowser, openBrowser, type TestBrowser } from './browser.ts';
import { stateOf } from './driving.ts';
import { openLinkServer } from './link-server.ts';
import { slowly } from '../../../support/real-time.ts';

const MEBIBYTE = 1024 ** 2;
const CHUNK = 8 * MEBIBYTE;
/** 3 GiB take minutes, so a run has 288 MiB unless it is told otherwise. */
const isLarge = process.env['CONCLAVE_TEST_LARGE'] === '1';
const CHUNKS = isLarge ? 384 : 36;
/** What is on the way: in sockets (the system lets them grow, to 32 MiB and more), in the worker, and between the browser's processes. */
const MOST_BYTES = 96 * MEBIBYTE;
const MOST_MEMORY_MEBIBYTES = 200;

/**
 * Tells how many bytes of new downloads are on the disk by now, from a first look on.
 * What is there stays: a file that gets its last name between the list and the look at it was written all the same,
 * and the browser deletes downloads of earlier tests when it comes to it.
 */
async function growthOnDisk({ folder }: TestBrowser): Promise<() => Promise<number>> {
  const earlier = new Set(await readdir(folder));
  let most = 0;
  return async () => {
    const files = (await readdir(folder)).filter((name) => !earlier.has(name));
    const sizes = files.map(async (name) => (await stat(join(folder, name)).catch(() => ({ size: 0 }))).size);
    most = Math.max(
      most,
      (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0),
    );
    return most;
  };
}

/** Resident memory of all processes of the browser together, in MiB: those below this process. */
async function browserMemory(): Promise<number> {
  const { stdout } = await execa('ps', ['-eo', 'pid=,ppid=,rss=,comm=']);
  const all = stdout.split('\n').map((line) => line.trim().split(/\s+/));
  const ours = new Set([String(process.pid)]);
  // A process is listed after the one that started it, but for numbers that have begun anew.
  for (let before = 0; before < ours.size;) {
    before = ours.size;
    for (const [pid = '', parent = ''] of all) if (ours.has(parent)) ours.add(pid);
  }
  const browsers = all.filter(([pid = '', , , name = '']) => ours.has(pid) && name.startsWith('chrom'));
  return browsers.reduce((sum, [, , kibibytes]) => sum + Number(kibibytes), 0) / 1024;
}

it.skipIf(!hasBrowser)(
  'check 32, the page of a share link holds a window of a large file, never all of it',
  { tags: 'needs-program', timeout: 900_000 },
  async () => {
    await using house = await openHouse('sqljs');
    await using server = await openLinkServer(house.fetch);
    await using browser = await openBrowser(server.origin);
    const size = CHUNKS * CHUNK;
    const shared = await server.share({
      content: { size, block: (place, length) => new Uint8Array(length).fill(place) },
      chunkSize: CHUNK,
    });
    await using tab = await browser.open();
    await tab.page.goto(shared.url);
    await stateOf(tab.page, 'ready');
    const devtools = await tab.context.newCDPSession(tab.page);
    await devtools.send('Performance.enable');
    const heap = async (): Promise<number> => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / MEBIBYTE;
    };
    const onDisk = await growthOnDisk(browser);
    const [heapBefore, memoryBefore] = [await heap(), await browserMemory()];
    shared.slow = 60;
    const [download] = await Promise.all([tab.page.waitForEvent('download'), tab.page.click('#download')]);
    const over = download.failure().then((failure) => ({ failure }));
    const windows: number[] = [];
    let [mostHeap, mostMemory] = [0, 0];
    let ended: { failure: string | null } | undefined;
    while (ended === undefined) {
      windows.push(shared.sent - (await onDisk()));
      mostHeap = Math.max(mostHeap, (await heap()) - heapBefore);
      mostMemory = Math.max(mostMemory, (await browserMemory()) - memoryBefore);
      ended = await Promise.race([over, slowly(30, undefined)]);
    }
    expect(ended).toEqual({ failure: null });
    if (isLarge)
      console.log(
        `of ${size / MEBIBYTE} MiB at most ${Math.round(Math.max(...windows) / MEBIBYTE)} were on the way; the page's heap grew by ${mostHeap.toFixed(1)} MiB, the browser by ${Math.round(mostMemory)} MiB`,
      );
    expect(windows.length).toBeGreaterThan(10);
    expect(Math.max(...windows)).toBeLessThan(MOST_BYTES);
    expect(mostHeap).toBeLessThan(50);
    expect(mostMemory).toBeLessThan(MOST_MEMORY_MEBIBYTES);
    const hash = createHash('sha256');
    for await (const piece of createReadStream(await download.path())) hash.update(piece as Buffer);
    const expected = createHash('sha256');
    for (let place = 0; place < CHUNKS; place += 1) expected.update(new Uint8Array(CHUNK).fill(place));
    expect(hash.digest('hex')).toBe(expected.digest('hex'));
  },
);
