import { createInterface } from 'node:readline';
import { loadConfig } from '../../../src/config/load.ts';
import { openEngine } from '../../../src/node/engine.ts';
import { bufferLines, createLog } from '../../../src/base/log-lines.ts';
import { serve } from '../../../src/node/listeners/serve.ts';
import { shutdownSignal } from '../../../src/node/listeners/shutdown.ts';

// `conclave serve` with one more domain, that counts what it is told. A line `burst N` on its input has it announce N things;
// a line `report` has it say what it has heard and how large it is.

const type = 'test_burst';
const lines = bufferLines();
const say = (what: unknown): void => void process.stdout.write(`${JSON.stringify(what)}\n`);
using stopping = shutdownSignal(lines.flush);
const { config, secrets } = await loadConfig({ flags: {}, env: process.env });
const log = createLog({ ...config.log, write: lines.write });
{
  await using engine = await openEngine(config, secrets, { command: 'a node of a test', server: stopping, log });
  const { gossip } = engine.context;
  const heard = new Map<string, Set<unknown>>();
  let twice = 0;
  gossip.subscribe(type, async ({ nodeId, payload }) => {
    const known = heard.get(nodeId) ?? new Set();
    heard.set(nodeId, known);
    if (known.has(payload)) twice += 1;
    known.add(payload);
  });
  createInterface({ input: process.stdin }).on('line', (line) => {
    const [word, count] = line.split(' ');
    if (word === 'burst') {
      const all = Array.from({ length: Number(count) }, (_, number) => gossip.announce(type, number));
      void Promise.all(all).then(() => say({ announced: Number(count) }));
    } else {
      const sizes = Object.fromEntries([...heard].map(([nodeId, known]) => [nodeId, known.size]));
      say({
        heard: sizes,
        twice,
        connected: gossip.peers().filter(({ admitted }) => admitted).length,
        rss: process.memoryUsage.rss(),
      });
    }
  });
  await serve(engine, { signal: stopping.signal, onReady: ({ port }) => say({ port }) });
}
lines.flush();
