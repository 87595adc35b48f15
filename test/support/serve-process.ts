import { loadConfig } from '../../src/config/load.ts';
import { openEngine } from '../../src/engine.ts';
import { bufferLines, createLog } from '../../src/log-lines.ts';
import { Problem } from '../../src/problem.ts';
import { serve } from '../../src/serve/serve.ts';
import { shutdownSignal } from '../../src/serve/shutdown.ts';

/** A server in a process of its own, as the command makes it; it says what it has to say in JSON lines. */
const lines = bufferLines();
using stopping = shutdownSignal(lines.flush);
try {
  const { config, secrets } = await loadConfig({ flags: {}, env: process.env });
  const log = createLog({ ...config.log, write: lines.write });
  await using engine = await openEngine(config, secrets, {
    create: true,
    command: 'a test process',
    server: stopping,
    log,
  });
  await serve(engine, {
    signal: stopping.signal,
    onReady: (ready) => void process.stdout.write(`${JSON.stringify(ready)}\n`),
  });
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  process.stdout.write(`${JSON.stringify({ code: error.code, message: error.message })}\n`);
  process.exitCode = 1;
} finally {
  lines.flush();
}
