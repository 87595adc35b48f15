import { Worker } from 'node:worker_threads';
import { loadBuild } from './build.ts';

/** The faults that SQLite finds in a database, one a line. Empty if there are none. */
export interface FileFindings {
  readonly integrity: readonly string[];
  readonly references: readonly string[];
}

/**
 * The thread's program. It is a string because a separate file would have to survive bundling. It runs a second SQLite, of the same build.
 * Whatever name sql.js makes up, this SQLite finds the one file that it was given. It reads the file and writes nothing. The file is in WAL
 * mode and its log is empty. Bytes 18 and 19 tell SQLite that the mode is WAL; the program shows it 1 there, so that it looks for no log.
 * System calls as in system-calls.ts, https://www.sqlite.org/fileformat2.html#the_database_header
 */
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const fs = require('node:fs');
const { dirname } = require('node:path');
const { compileFunction } = require('node:vm');
const { module, glue, file } = workerData;
const silent = () => {};
Object.assign(console, { log: silent, warn: silent, error: silent });
const fd = fs.openSync(file, 'r');
const own = 1 << 20, missing = -44;
let position = 0, memory;
const bytes = () => Buffer.from(memory.buffer);
const textAt = (pointer) => bytes().toString('latin1', pointer, bytes().indexOf(0, pointer));
const on = (original, call) => (first, ...rest) => (first === own ? call(...rest) : original(first, ...rest));
const named = (original, at, call) => (...all) => {
  const path = textAt(all[at]);
  return path.includes('dbfile_') ? (/-(wal|journal)$/.test(path) ? missing : call(...all)) : original(...all);
};
function stat(pointer) {
  const { mode, size } = fs.fstatSync(fd);
  const view = new DataView(memory.buffer, pointer, 96);
  bytes().fill(0, pointer, pointer + 96);
  view.setUint32(4, mode, true);
  view.setBigInt64(24, BigInt(size), true);
  view.setBigInt64(88, 1n, true);
  return 0;
}
function read(list, count, sum) {
  const buffer = bytes();
  let total = 0;
  for (let entry = list; entry < list + 8 * count; entry += 8) {
    const at = buffer.readUInt32LE(entry), size = buffer.readUInt32LE(entry + 4);
    const done = fs.readSync(fd, buffer, at, size, position);
    for (const header of [18, 19]) if (header >= position && header < position + done) buffer[at + header - position] = 1;
    position += done;
    total += done;
    if (done < size) break;
  }
  buffer.writeUInt32LE(total, sum);
  return 0;
}
function seek(offset, whence, result) {
  position = Number(offset) + (whence === 2 ? fs.fstatSync(fd).size : whence === 1 ? position : 0);
  new DataView(memory.buffer).setBigInt64(result, BigInt(position), true);
  return 0;
}
function instantiateWasm({ env, wasi_snapshot_preview1: wasi }, receive) {
  const files = {
    __syscall_openat: named(env.__syscall_openat, 1, () => own),
    __syscall_faccessat: named(env.__syscall_faccessat, 1, () => 0),
    __syscall_stat64: named(env.__syscall_stat64, 0, (_path, pointer) => stat(pointer)),
    __syscall_fstat64: on(env.__syscall_fstat64, stat),
    __syscall_fcntl64: on(env.__syscall_fcntl64, (command) => (command === 3 ? 2 : 0)),
  };
  const calls = {
    fd_close: on(wasi.fd_close, () => 0),
    fd_read: on(wasi.fd_read, read),
    fd_seek: on(wasi.fd_seek, seek),
    fd_write: on(wasi.fd_write, () => 63),
  };
  const instance = new WebAssembly.Instance(module, { env: { ...env, ...files }, wasi_snapshot_preview1: { ...wasi, ...calls } });
  memory = instance.exports.memory;
  receive(instance);
  return {};
}
(async () => {
  const published = { exports: {} };
  const evaluate = compileFunction(glue, ['module', 'exports', 'require', '__filename', '__dirname']);
  evaluate(published, published.exports, require, process.execPath, dirname(process.execPath));
  const { Database } = await published.exports({ instantiateWasm });
  const database = new Database();
  const rows = (sql) => database.exec(sql)[0]?.values ?? [];
  try {
    rows('pragma cell_size_check = on');
    const integrity = rows('pragma integrity_check(1000)').map(([line]) => String(line)).filter((line) => line !== 'ok');
    const references = rows('select "table", parent, count(*) from pragma_foreign_key_check group by 1, 2')
      .map(([table, parent, count]) => count + ' rows of ' + table + ' refer to missing rows of ' + parent);
    return { integrity, references };
  } catch (error) {
    return { integrity: [String(error.message ?? error)], references: [] };
  }
})().then((found) => parentPort.postMessage(found));
`;

/**
 * Runs SQLite's own checks of a whole database in a thread. They take seconds for a million rows, and this thread serves others meanwhile.
 *
 * @param file a file without a log that doesn't change meanwhile, as `Database.snapshot` gives it
 */
export async function checkFile(file: string): Promise<FileFindings> {
  const { module, glue } = await loadBuild();
  const worker = new Worker(program, { eval: true, name: 'store-check', workerData: { module, glue, file } });
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the thread that checks the store ended before it answered')));
    });
  } finally {
    await worker.terminate();
  }
}
