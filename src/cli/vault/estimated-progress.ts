import type { Teller } from '../waiting.ts';

const MEBIBYTE = 1024 ** 2;
/** How long imports take: measured for 50,000 records (5 MB) on two cores. */
const startMs = 500;
const perMebibyteMs = 1_500;
const everyMs = 100;

/**
 * Moves a bar while the server works on a file as a whole and says nothing meanwhile: by what such a file takes, slower the nearer it
 * comes to the end, and never to the end. It says that it is an estimate.
 */
export async function withEstimate<T>({ report }: Teller, what: string, bytes: number, work: Promise<T>): Promise<T> {
  const expectedMs = startMs + (bytes / MEBIBYTE) * perMebibyteMs;
  const started = performance.now();
  const tick = () =>
    report({ what: `${what} (estimated)`, done: partOf(performance.now() - started, expectedMs), total: 1 });
  const timer = setInterval(tick, everyMs);
  tick();
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** 0.78 of the way when the time is over that was expected. */
export function partOf(elapsedMs: number, expectedMs: number): number {
  return 1 - Math.exp((-1.5 * elapsedMs) / expectedMs);
}
