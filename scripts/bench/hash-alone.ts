import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** The thread needs only Node, and its program only says when it begins and ends: starting it is not measured. */
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const { createHash, randomBytes } = require('node:crypto');
const piece = randomBytes(1024 ** 2);
parentPort.once('message', () => {
  const hash = createHash('sha3-512');
  for (let done = 0; done < workerData; done += piece.length) hash.update(piece);
  parentPort.postMessage(hash.digest('hex'));
});
parentPort.postMessage('ready');
`;

/** How long SHA3-512 alone takes on all cores for so many bytes. @returns milliseconds */
export async function hashAlone(bytes: number): Promise<number> {
  const threads = availableParallelism();
  const workers = Array.from(
    { length: threads },
    () => new Worker(program, { eval: true, workerData: bytes / threads }),
  );
  const said = async (worker: Worker): Promise<void> =>
    await new Promise((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', reject);
    });
  await Promise.all(workers.map(said));
  const began = performance.now();
  const ended = workers.map(said);
  for (const worker of workers) worker.postMessage('begin', []);
  await Promise.all(ended);
  const took = performance.now() - began;
  await Promise.all(workers.map(async (worker) => await worker.terminate()));
  return took;
}
