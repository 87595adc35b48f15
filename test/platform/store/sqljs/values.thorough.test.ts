import { execa } from 'execa';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadBuild } from '../../../../src/platform/store/sqljs/build.ts';
import { openConnection, type Connection } from '../../../../src/platform/store/sqljs/connection.ts';
import { nodeDisk } from '../../../../src/platform/store/sqljs/disk.ts';
import { openFiles } from '../../../../src/platform/store/sqljs/files.ts';
import { startRuntime } from '../../../../src/platform/store/sqljs/runtime.ts';
import { bundle } from '../../../support/bundle.ts';
import { runs } from '../../../support/stage.ts';
import { temporaryFolder } from '../../../support/stores.ts';

describe('values of the embedded engine', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let connection: Connection;
  beforeAll(async () => {
    folder = await temporaryFolder();
    const files = openFiles(folder.path, nodeDisk);
    connection = openConnection(await startRuntime(await loadBuild(), files), files, 'store.db');
    connection.run('pragma locking_mode = exclusive', []);
    connection.run('create table v (number any, text any, bytes any, n integer) strict', []);
  });
  afterAll(async () => {
    connection.close();
    await folder[Symbol.asyncDispose]();
  });

  it('come back as they were, in any number of statements', { tags: 'thorough' }, () => {
    // Lone surrogates have no UTF-8 and are not text; everything else is.
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme', maxLength: 3000 }),
      fc.constant('a\0b'),
    );
    const number = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
    const bytes = fc.uint8Array({ maxLength: 20_000 });
    fc.assert(
      fc.property(number, text, fc.option(bytes), fc.maxSafeInteger(), (a, b, c, n) => {
        connection.run('delete from v', []);
        const { changes } = connection.run('insert into v values (?, ?, ?, ?)', [a, b, c, n]);
        expect(changes).toBe(1);
        const [row] = connection.run('select * from v', []).rows;
        expect(row).toStrictEqual({ number: a === 0 ? 0 : a, text: b, bytes: c, n: n === 0 ? 0 : n });
      }),
      { numRuns: runs(100) },
    );
  });

  it('may be larger than all before, while the memory grows', () => {
    for (const size of [1, 100_000, 10, 5_000_000, 20_000_000, 3]) {
      const text = 'é'.repeat(size >> 1);
      const bytes = new Uint8Array(size).fill(7);
      const { rows } = connection.run('select ? as text, ? as bytes, length(?) as size', [text, bytes, bytes]);
      expect(rows[0]?.['text'] === text).toBe(true);
      expect(Buffer.compare(rows[0]?.['bytes'] as Uint8Array, bytes)).toBe(0);
      expect(rows[0]?.['size']).toBe(size);
    }
  });

  it.each([undefined, true, 1n, Number.NaN, Number.POSITIVE_INFINITY, {}, [], Symbol('s'), new Date()])(
    'are not %s',
    (value) => {
      expect(() => connection.run('select ?', [value])).toThrow(TypeError);
    },
  );

  it('are not left over from the execution before', () => {
    expect(connection.run('select ? as a, ? as b', ['x', 'y']).rows).toEqual([{ a: 'x', b: 'y' }]);
    expect(connection.run('select ? as a, ? as b', ['z']).rows).toEqual([{ a: 'z', b: null }]);
    expect(() => connection.run('select ?', ['x', 'y'])).toThrow(/out of range/);
  });

  it('are bound by code that V8 compiles rightly', async () => {
    await using program = await bundle('test/support/mixed-statements.ts');
    const { stdout, signal } = await execa(process.execPath, [program.path], { reject: false });
    expect({ stdout, signal }).toEqual({ stdout: 'done', signal: undefined });
  });

  it('survive more statements than are kept', () => {
    for (let index = 0; index < 700; index += 1)
      expect(connection.run(`select ${index} as n, ? as a`, [index]).rows).toEqual([{ n: index, a: index }]);
    expect(connection.run('select 1 as n, ? as a', [2]).rows).toEqual([{ n: 1, a: 2 }]);
    expect(() => connection.run('select nonsense', [])).toThrow(/nonsense/);
    expect(() => connection.run('', [])).toThrow(/without SQL/);
    expect(() => connection.run('select 1; select 2', [])).toThrow(/several statements/);
    expect(connection.run('select 1 as n; ', []).rows).toEqual([{ n: 1 }]);
  });

  it('that are too large are refused, and the store goes on', () => {
    expect(() => connection.run('select zeroblob(1500000000)', [])).toThrow(/too big/);
    expect(connection.run('select 1 as n', []).rows).toEqual([{ n: 1 }]);
  });
});
