import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { joinDetails } from '../../src/cli/pool/pool-details.ts';
import { details } from '../../src/cli/kit/table.ts';
import { pool } from '../../src/contract/pool.ts';

export default class Withdraw extends ApiCommand {
  static override summary = 'Withdraw the join request';
  static override examples = ['<%= config.bin %> pool withdraw'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Withdraw);
    await using client = await this.connect(flags);
    const { join } = await perform(client, pool.withdraw, {});
    await this.answer(join, (screen) => details(screen, joinDetails(screen, join)));
  }
}
