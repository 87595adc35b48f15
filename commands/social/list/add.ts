import { Args } from '@oclif/core';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { counted } from '../../../src/cli/kit/counted.ts';
import { categoryFlag, changeMembers, findList } from '../../../src/cli/social/lists.ts';

export default class Add extends ApiCommand {
  static override summary = 'Add members to a list or a category';
  static override examples = ['<%= config.bin %> social list add Friends bob carl'];
  static override usage = 'social list add LIST MEMBER... [--category]';
  static override strict = false;
  static override args = {
    list: Args.string({ description: 'its name, or the beginning of its id', required: true }),
    member: Args.string({ description: 'username or id; repeat for more', required: true }),
  };
  static override flags = categoryFlag;

  async run(): Promise<void> {
    const { argv, args, flags } = await this.parse(Add);
    await using client = await this.connect(flags);
    const { _id: id, name } = await findList(client, flags.category, args.list);
    const userIds = (argv as string[]).slice(1);
    const list = await changeMembers(client, flags.category, 'add', { id, userIds });
    await this.answer({ list }, () => escapeForTerminal(`Added ${counted(userIds.length, 'member')} to ${name}.`));
  }
}
