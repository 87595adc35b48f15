import { describe, expect, it } from 'vitest';
import { loadBuild } from '../../../../src/platform/store/sqljs/build.ts';
import { openConnection } from '../../../../src/platform/store/sqljs/connection.ts';
import { nodeDisk, type Disk } from '../../../../src/platform/store/sqljs/disk.ts';
import { openFiles } from '../../../../src/platform/store/sqljs/files.ts';
import { startRuntime } from '../../../../src/platform/store/sqljs/runtime.ts';
import { temporaryFolder } from '../../../support/stores.ts';

async function open(folder: string, disk: Disk = nodeDisk) {
  const files = openFiles(folder, disk);
  const runtime = await startRuntime(await loadBuild(), files);
  return { runtime, connection: openConnection(runtime, files, 'store.db') };
}

describe('an instance of SQLite', () => {
  it('that a closed store gave back serves the next one, with its own folder and disk', async () => {
    await using folder = await temporaryFolder();
    await using other = await temporaryFolder();
    const first = await open(folder.path);
    first.connection.run('create table notes (text text)', []);
    first.connection.run('insert into notes values (?)', ['of the first']);
    first.connection.close();

    let opened = 0;
    const counting: Disk = {
      ...nodeDisk,
      openSync(...options) {
        opened += 1;
        return nodeDisk.openSync(...options);
      },
    };
    const second = await open(other.path, counting);
    expect(second.runtime).toBe(first.runtime);
    expect(second.connection.run('select name from sqlite_schema', []).rows).toEqual([]);
    second.connection.run('create table other (text text)', []);
    second.connection.close();

    const again = await open(folder.path, counting);
    expect(again.connection.run('select text from notes', []).rows).toEqual([{ text: 'of the first' }]);
    expect(opened).toBeGreaterThan(0);
    again.connection.close();
  });

  it('serves one store at a time', async () => {
    await using folder = await temporaryFolder();
    await using other = await temporaryFolder();
    const [one, two] = [await open(folder.path), await open(other.path)];
    expect(one.runtime).not.toBe(two.runtime);
    one.connection.close();
    one.connection.close();
    const [three, four] = [await open(folder.path), await open(folder.path)];
    expect(new Set([two, three, four].map(({ runtime }) => runtime)).size).toBe(3);
    for (const { connection } of [two, three, four]) connection.close();
  });

  it('takes no more memory with each store that it serves', async () => {
    await using folder = await temporaryFolder();
    const sizes = new Set<number>();
    const text = 'x'.repeat(100_000);
    for (let left = 200; left > 0; left -= 1) {
      const { runtime, connection } = await open(folder.path);
      connection.run('select ?', [text]);
      connection.close();
      sizes.add(runtime.memory.bytes.length);
    }
    expect(sizes.size).toBe(1);
  });

  it('is let go when it has grown large, or broke off', async () => {
    await using folder = await temporaryFolder();
    const large = await open(folder.path);
    large.connection.run('select zeroblob(40000000)', []);
    large.connection.close();
    const next = await open(folder.path);
    expect(next.runtime).not.toBe(large.runtime);
    expect(next.runtime.memory.bytes.length).toBeLessThan(2 ** 25);

    const { exports } = next.runtime as { exports: { sqlite3_step(statement: number): number } };
    const step = exports.sqlite3_step;
    exports.sqlite3_step = () => {
      throw new WebAssembly.RuntimeError('unreachable');
    };
    expect(() => next.connection.run('select 1', [])).toThrow('unreachable');
    exports.sqlite3_step = step;
    next.connection.close();
    const last = await open(folder.path);
    expect(last.runtime).not.toBe(next.runtime);
    last.connection.close();
  });
});
