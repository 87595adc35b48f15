import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { describePool } from '../../src/cli/pool/pool-details.ts';
import { pool } from '../../src/contract/pool.ts';

export default class Status extends ApiCommand {
  static override summary = 'Show the pool of this node, and its join request';
  static override examples = ['<%= config.bin %> pool status', '<%= config.bin %> pool status --json'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Status);
    await using client = await this.connect(flags);
    const status = await perform(client, pool.status, {});
    await this.answer(status, (screen) => describePool(screen, status));
  }
}
