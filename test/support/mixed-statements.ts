import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadBuild } from '../../src/platform/store/sqljs/build.ts';
import { openConnection } from '../../src/platform/store/sqljs/connection.ts';
import { nodeDisk } from '../../src/platform/store/sqljs/disk.ts';
import { openFiles } from '../../src/platform/store/sqljs/files.ts';
import { startRuntime } from '../../src/platform/store/sqljs/runtime.ts';

// A process that runs statements with parameters of every type, in the order and number with which V8 once compiled the binding of
// values into code that ended with SIGSEGV. Says `done`.

const folder = await mkdtemp(join(tmpdir(), 'conclave-mixed-'));
const files = openFiles(folder, nodeDisk);
const connection = openConnection(await startRuntime(await loadBuild(), files), files, 'store.db');
connection.run('pragma locking_mode = exclusive', []);
const bytes = new Uint8Array(80);
for (let turn = 0; turn < 5_000; turn += 1) connection.run('select ?, ?', ['ab'.repeat(32), turn]);
for (let turn = 0; turn < 5_000; turn += 1)
  connection.run('select ?, ?, ?', [`zone ${turn}`, turn & 1, `member ${turn % 100}`]);
for (let turn = 0; turn < 20_000; turn += 1) {
  const values = [
    `${turn}`,
    `member ${turn % 100}`,
    'ab'.repeat(32),
    null,
    null,
    bytes,
    null,
    turn,
    turn,
    turn,
    'a browser',
  ];
  const { rows } = connection.run('select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11', values);
  if (rows[0]?.['?8'] !== turn) throw new Error(`turn ${turn}: ${JSON.stringify(rows)}`);
}
connection.close();
await rm(folder, { recursive: true });
process.stdout.write('done\n');
