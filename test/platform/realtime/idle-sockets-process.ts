import { createInterface } from 'node:readline';
import { memoryKept } from '../../support/memory-kept.ts';

/** A server as the command makes it, which says for each line how many bytes it keeps, and how many of it are resident. */
createInterface({ input: process.stdin }).on('line', () => {
  const kept = memoryKept();
  process.stdout.write(`${JSON.stringify({ kept, resident: process.memoryUsage.rss() })}\n`);
});
await import('../../support/serve-process.ts');
