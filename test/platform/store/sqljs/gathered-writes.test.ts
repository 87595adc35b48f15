import { describe, expect, it } from 'vitest';
import type { Disk } from '../../../../src/platform/store/sqljs/disk.ts';
import { gatherWrites } from '../../../../src/platform/store/sqljs/gathered-writes.ts';

const PAGE = 4096;
const FRAME = 24 + PAGE;

/** A log on a disk that notes its writes. `takes` is what each takes at most; none of it is a full disk. */
function openLog() {
  const written: { at: number; size: number }[] = [];
  const content = Buffer.alloc(8 * 1024 ** 2);
  const state = { takes: Number.POSITIVE_INFINITY, fault: undefined as string | undefined };
  const writeSync = ((_fd: number, bytes: Uint8Array, from: number, size: number, at: number) => {
    if (state.fault !== undefined) throw Object.assign(new Error(state.fault), { code: state.fault });
    const taken = Math.min(size, state.takes);
    content.set(bytes.subarray(from, from + taken), at);
    written.push({ at, size: taken });
    return taken;
  }) as Disk['writeSync'];
  const log = gatherWrites(7, { writeSync });
  const write = (bytes: Uint8Array, position: number) => log.write(bytes, 0, bytes.length, position);
  /** @param databaseSize above 0: the frame ends a transaction */
  const frame = (index: number, databaseSize = 0) => {
    const header = Buffer.alloc(24, index);
    header.writeUInt32BE(databaseSize, 4);
    write(header, 32 + index * FRAME);
    write(Buffer.alloc(PAGE, index), 32 + index * FRAME + 24);
  };
  return { log, write, frame, written, content, state };
}

describe('writes to the log of the store', () => {
  it('reach the disk as one with the last frame of a transaction', () => {
    const { frame, written, content } = openLog();
    frame(0);
    frame(1);
    expect(written).toEqual([]);
    frame(2, 9);
    expect(written).toEqual([{ at: 32, size: 3 * FRAME }]);
    expect([content[32 + FRAME + 24], content[32 + 3 * FRAME - 1]]).toEqual([1, 2]);
    frame(3, 9);
    expect(written).toHaveLength(2);
  });

  it('reach the disk before others that do not follow them, and before a flush', () => {
    const { log, frame, written } = openLog();
    frame(4);
    // After a roll-back, the next transaction begins where the one before it did.
    frame(2);
    expect(written).toEqual([{ at: 32 + 4 * FRAME, size: FRAME }]);
    log.flush();
    expect(written.at(-1)).toEqual({ at: 32 + 2 * FRAME, size: FRAME });
    log.flush();
    expect(written).toHaveLength(2);
  });

  it('reach the disk when there are too many to hold, and at once if one is too long', () => {
    const { frame, written, write } = openLog();
    for (let index = 0; index < 300; index += 1) frame(index);
    expect(written).toHaveLength(1);
    expect(written[0]!.size).toBeLessThanOrEqual(1024 ** 2);
    frame(300, 301);
    expect(written.reduce((sum, { size }) => sum + size, 0)).toBe(301 * FRAME);
    write(new Uint8Array(2 * 1024 ** 2), 0);
    expect(written.at(-1)).toEqual({ at: 0, size: 2 * 1024 ** 2 });
  });

  it.each(Array.from({ length: 4 }, (_, index) => 252 + index))(
    'reach the disk with the page that ends a transaction wherever they are too many, after %i frames',
    (count) => {
      const { frame, write, written } = openLog();
      write(new Uint8Array(32), 0);
      for (let index = 0; index < count; index += 1) frame(index);
      frame(count, 1);
      expect(written.reduce((sum, { size }) => sum + size, 0)).toBe(32 + (count + 1) * FRAME);
    },
  );

  it('go on where the disk took a part, and are a full disk where it takes nothing', () => {
    const { frame, written, state, content } = openLog();
    state.takes = 1_000;
    frame(0, 1);
    expect(written.map(({ size }) => size)).toEqual([1_000, 1_000, 1_000, 1_000, FRAME - 4_000]);
    expect(written.map(({ at }) => at)).toEqual([32, 1_032, 2_032, 3_032, 4_032]);
    expect(content[32 + FRAME]).toBe(0);
    state.takes = 0;
    expect(() => frame(1, 1)).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
  });

  it('are lost when they fail, and those of the next transaction are not mixed with them', () => {
    const { log, frame, state, written } = openLog();
    state.fault = 'EIO';
    frame(0);
    expect(() => frame(1, 1)).toThrow('EIO');
    state.fault = undefined;
    log.flush();
    expect(written).toEqual([]);
    frame(0, 1);
    expect(written).toEqual([{ at: 32, size: FRAME }]);
  });
});
