import { Problem } from '../../src/base/problem.ts';
import { acquireLock } from '../../src/platform/store/lock.ts';

// A process that takes the lock of a data directory at a given moment, holds it until it is killed or its input ends, and says
// `won` or `lost <message>`.
//
//   node lock-taker.mjs <data directory> <name> <moment in ms since 1970>

const [dataDir = '', name = '', moment = '0'] = process.argv.slice(2);
await new Promise((resolve) => setTimeout(resolve, Math.max(0, Number(moment) - Date.now())));
try {
  const lock = await acquireLock(dataDir, name);
  process.stdout.write('won\n');
  await new Promise((resolve) => process.stdin.on('end', resolve).resume());
  await lock[Symbol.asyncDispose]();
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  process.stdout.write(`lost ${error.code} ${error.message}\n`);
}
