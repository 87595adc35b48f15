import { Args } from '@oclif/core';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { categoryFlag } from '../../../src/cli/social/lists.ts';
import { perform } from '../../../src/client/perform.ts';
import { social } from '../../../src/contract/social.ts';

export default class Create extends ApiCommand {
  static override summary = 'Make a list of members, or a category';
  static override examples = ['<%= config.bin %> social list create Friends'];
  static override args = { name: Args.string({ description: 'its name', required: true }) };
  static override flags = categoryFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Create);
    await using client = await this.connect(flags);
    const operation = flags.category ? social.createCategory : social.createList;
    const { list } = await perform(client, operation, { name: args.name });
    await this.answer({ list }, () =>
      escapeForTerminal(
        `Made ${list.name}. To add members, run: conclave social list add${flags.category ? ' --category' : ''}`,
      ),
    );
  }
}
