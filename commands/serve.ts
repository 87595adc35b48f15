import { Flags } from '@oclif/core';
import { LocalCommand } from '../src/cli/kit/command.ts';
import { configFlags } from '../src/cli/kit/config-flags.ts';
import { describeReady, logFormat } from '../src/cli/node/serving.ts';
import { unknownVariables } from '../src/cli/kit/unknown-variables.ts';

export default class Serve extends LocalCommand {
  static override summary = 'Run the server, over HTTP and WebSocket';
  static override description =
    'Ctrl-C or SIGTERM stops the server after the running requests. SIGHUP has it read its configuration and certificates again. Every flag but --init has a variable, and a key in conclave.toml in the data directory.';
  static override examples = [
    '<%= config.bin %> serve',
    '<%= config.bin %> serve --host 0.0.0.0 --port 443 --tls self-signed',
    'CONCLAVE_PORT=8080 CONCLAVE_DATA_DIR=./data <%= config.bin %> serve',
  ];
  static override flags = {
    ...configFlags(),
    init: Flags.boolean({ description: 'first make a store where there is none, with a password in a file' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Serve);
    if (flags.init) {
      const { makeMissingStore } = await import('../src/cli/accounts/missing-store.ts');
      await makeMissingStore(this.terminal, async (options) => await this.connect(flags, options));
    }
    const { loadConfig } = await import('../src/config/load.ts');
    const read = async () => await loadConfig({ flags, env: this.terminal.env });
    const loaded = await read();
    const { config, secrets } = loaded;
    const { compileAhead, keepHeapSmall } = await import('../src/node/listeners/start-up.ts');
    await compileAhead(config);
    const [{ openEngine }, { bufferLines, createLog }, { serve }, { shutdownSignal }] = await Promise.all([
      import('../src/node/engine.ts'),
      import('../src/base/log-lines.ts'),
      import('../src/node/listeners/serve.ts'),
      import('../src/node/listeners/shutdown.ts'),
    ]);
    const lines = bufferLines((text) => this.terminal.stderr.write(text));
    const log = createLog({
      level: () => config.log.level,
      format: logFormat(this.terminal, loaded),
      write: (line, level) => lines.write(line, level),
    });
    using stopping = shutdownSignal(() => lines.flush());
    try {
      for (const text of await unknownVariables(this.terminal.env)) log.warn(text);
      await using engine = await openEngine(config, secrets, { command: 'conclave serve', server: stopping, log });
      await serve(engine, {
        signal: stopping.signal,
        onReady: (ready) =>
          void this.answer({ ...ready, dataDir: config.dataDir }, (screen) => describeReady(screen, ready)),
        onLoaded: keepHeapSmall,
        reloads: { loaded, read, onRequest: stopping.onReload },
      });
    } finally {
      lines.flush();
    }
  }
}
