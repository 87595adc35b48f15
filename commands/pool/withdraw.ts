import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { joinFacts } from '../../src/cli/pool/pool-facts.ts';
import { facts } from '../../src/cli/kit/table.ts';
import { pool } from '../../src/contract/pool.ts';

export default class Withdraw extends ApiCommand {
  static override summary = 'Take back the request to join a pool';
  static override examples = ['<%= config.bin %> pool withdraw'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Withdraw);
    await using client = await this.connect(flags);
    const { join } = await perform(client, pool.withdraw, {});
    await this.answer(join, (screen) => facts(screen, joinFacts(screen, join)));
  }
}
