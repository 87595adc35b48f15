import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { categoryFlag, findList } from '../../../src/cli/social/lists.ts';
import { perform } from '../../../src/client/perform.ts';
import { social } from '../../../src/contract/social.ts';

export default class Delete extends ApiCommand {
  static override summary = 'Delete a list or a category';
  static override examples = ['<%= config.bin %> social list delete Friends'];
  static override args = {
    list: Args.string({ description: 'its name, or the beginning of its id', required: true }),
  };
  static override flags = { ...categoryFlag, yes: Flags.boolean({ description: 'do not ask' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Delete);
    await using client = await this.connect(flags);
    const { _id: id, name } = await findList(client, flags.category, args.list);
    await confirmed(this.terminal, flags.yes, escapeForTerminal(`Delete ${name}?`));
    await perform(client, flags.category ? social.deleteCategory : social.deleteList, { id });
    await this.answer({ deleted: id }, () => escapeForTerminal(`Deleted ${name}.`));
  }
}
