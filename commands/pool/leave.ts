import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { pool } from '../../src/contract/pool.ts';

export default class Leave extends ApiCommand {
  static override summary = 'Leave the pool; this node then has a pool of its own';
  static override description =
    'The other nodes still list this one until an administrator there removes it with: conclave admin nodes remove';
  static override examples = ['<%= config.bin %> pool leave', '<%= config.bin %> pool leave --yes'];
  static override flags = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { flags } = await this.parse(Leave);
    await using client = await this.connect(flags);
    const { pool: of } = await perform(client, pool.status, {});
    await confirmed(this.terminal, flags.yes, `Leave the pool ${of.poolId.slice(0, 12)} of ${of.writers} nodes?`);
    const left = await perform(client, pool.leave, { poolId: of.poolId });
    await this.answer(left, () => `Left the pool ${left.left}.`);
  }
}
