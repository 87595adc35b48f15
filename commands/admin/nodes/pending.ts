import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { queueLine, watchQueue } from '../../../src/cli/pool/pool-watch.ts';
import { pendingTable } from '../../../src/cli/pool/pool-details.ts';
import { screenOf } from '../../../src/cli/kit/screen.ts';
import { pool } from '../../../src/contract/pool.ts';

export default class Pending extends ApiCommand {
  static override summary = 'List pending join requests, oldest first';
  static override examples = [
    '<%= config.bin %> admin nodes pending',
    '<%= config.bin %> admin nodes pending --watch --json',
  ];
  static override flags = {
    watch: Flags.boolean({ description: 'keep watching, and show requests as they come and go' }),
    timeout: Flags.integer({
      description: 'stop watching after this many seconds',
      min: 1,
      helpValue: 'N',
      dependsOn: ['watch'],
    }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Pending);
    await using client = await this.connect(flags);
    if (!flags.watch) {
      const { pendingNodes, count } = await perform(client, pool.pendingNodes, {});
      await this.answer({ pendingNodes, count }, (screen) => pendingTable(screen, pendingNodes));
      return;
    }
    this.say('Watching for join requests. Press Ctrl-C to stop.');
    // The client knows only after the first request whether the caller is the operator.
    const screen = client.connection.operatorToken === undefined ? await this.screen() : screenOf(this.terminal);
    await watchQueue(client, {
      forMs: flags.timeout === undefined ? Number.POSITIVE_INFINITY : flags.timeout * 1000,
      now: Date.now,
      tell: (event) => void this.terminal.stdout.write(`${queueLine(screen, event, flags.json)}\n`),
      trouble: ({ message }) => this.warnOf(`${message} Trying again.`),
    });
  }
}
