import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { testFile } from './test-file.ts';

/** A folder, where scripts/check.mjs wants to know. */
const folder = process.env['CONCLAVE_TEST_CPU'] ?? '';

if (folder !== '') {
  const file = testFile();
  const before = cpuSeconds();
  afterAll(() => {
    const line = `${JSON.stringify({ file, seconds: cpuSeconds() - before })}\n`;
    appendFileSync(join(folder, `${process.pid}.jsonl`), line);
  });
}

/** Of this process, and on Linux of its children that have ended. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childSeconds();
}

function childSeconds(): number {
  if (process.platform !== 'linux') return 0;
  // After the name of the program, which may have anything in it; proc(5): cutime and cstime in hundredths.
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1)!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
