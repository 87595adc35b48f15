import { Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { wrapWords } from '../../src/cli/kit/wrap-words.ts';
import { describeRecovered, describeRecovery, found, recover } from '../../src/cli/ledger/recovery.ts';

export default class Recover extends ApiCommand {
  static override summary = 'Have a node sign again that noticed a rollback or a copy of itself';
  static override description =
    'It shows what was noticed and what it will do, and asks. The node then begins a new log that names the end of the old one, ' +
    'so that other nodes see a recovery. Stop every copy of the node first.';
  static override examples = ['<%= config.bin %> node recover', '<%= config.bin %> node recover --yes --json'];
  static override flags = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { flags } = await this.parse(Recover);
    await using client = await this.connect(flags);
    const recovery = await found(client);
    const { columns, isTTY } = this.terminal.stderr;
    this.say(wrapWords(describeRecovery(recovery), isTTY === true ? (columns ?? 80) : Infinity));
    await confirmed(this.terminal, flags.yes, 'Begin a new log?');
    const done = await recover(client, recovery);
    await this.answer(done, () => describeRecovered(done));
  }
}
