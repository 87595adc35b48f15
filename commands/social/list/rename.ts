import { Args } from '@oclif/core';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { categoryFlag, findList } from '../../../src/cli/social/lists.ts';
import { perform } from '../../../src/client/perform.ts';
import { social } from '../../../src/contract/social.ts';

export default class Rename extends ApiCommand {
  static override summary = 'Rename a list or a category';
  static override examples = ['<%= config.bin %> social list rename Friends "Old friends"'];
  static override args = {
    list: Args.string({ description: 'its name, or the beginning of its id', required: true }),
    name: Args.string({ description: 'its new name', required: true }),
  };
  static override flags = categoryFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Rename);
    await using client = await this.connect(flags);
    const { _id: id } = await findList(client, flags.category, args.list);
    const operation = flags.category ? social.renameCategory : social.renameList;
    const { list } = await perform(client, operation, { id, name: args.name });
    await this.answer({ list }, () => escapeForTerminal(`Renamed to ${list.name}.`));
  }
}
