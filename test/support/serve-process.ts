import { loadConfig } from '../../src/config/load.ts';
import { openEngine } from '../../src/node/engine.ts';
import { bufferLines, createLog } from '../../src/base/log-lines.ts';
import { Problem } from '../../src/base/problem.ts';
import { serve } from '../../src/node/listeners/serve.ts';
import { shutdownSignal } from '../../src/node/listeners/shutdown.ts';

/** A server in a process of its own, as the command makes it; it says what it has to say in JSON lines. */
const lines = bufferLines();
using stopping = shutdownSignal(lines.flush);
try {
  const read = async () => await loadConfig({ flags: {}, env: process.env });
  const loaded = await read();
  const { config, secrets } = loaded;
  const log = createLog({ ...config.log, write: lines.write });
  await using engine = await openEngine(config, secrets, {
    create: true,
    command: 'a test process',
    server: stopping,
    log,
  });
  await serve(engine, {
    signal: stopping.signal,
    reloads: { loaded, read, onRequest: stopping.onReload },
    onReady: (ready) => void process.stdout.write(`${JSON.stringify(ready)}\n`),
  });
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  process.stdout.write(`${JSON.stringify({ code: error.code, message: error.message })}\n`);
  process.exitCode = 1;
} finally {
  lines.flush();
}
