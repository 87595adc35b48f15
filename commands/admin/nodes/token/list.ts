import { perform } from '../../../../src/client/perform.ts';
import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { tokenTable } from '../../../../src/cli/pool/join-tokens.ts';
import { pool } from '../../../../src/contract/pool.ts';

export default class List extends ApiCommand {
  static override summary = 'List the join tokens of this node, without their secrets';
  static override examples = [
    '<%= config.bin %> admin nodes token list',
    '<%= config.bin %> admin nodes token list --json',
  ];

  async run(): Promise<void> {
    const { flags } = await this.parse(List);
    await using client = await this.connect(flags);
    const { joinTokens } = await perform(client, pool.listTokens, {});
    await this.answer({ joinTokens }, (screen) => tokenTable(screen, joinTokens));
  }
}
