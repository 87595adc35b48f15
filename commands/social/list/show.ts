import { Args } from '@oclif/core';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { categoryFlag, findList } from '../../../src/cli/social/lists.ts';
import { collectPages } from '../../../src/client/pages.ts';
import { social } from '../../../src/contract/social.ts';

export default class Show extends ApiCommand {
  static override summary = 'Show the members of a list or a category';
  static override examples = ['<%= config.bin %> social list show Friends'];
  static override args = {
    list: Args.string({ description: 'its name, or the beginning of its id', required: true }),
  };
  static override flags = categoryFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Show);
    await using client = await this.connect(flags);
    const list = await findList(client, flags.category, args.list);
    const { _id: id } = list;
    const operation = flags.category ? social.listCategoryMembers : social.listListMembers;
    const { items: people } = await collectPages(client, operation, { id }, 'people');
    await this.answer({ list, people }, (screen) =>
      table(screen, people, [
        { title: 'USERNAME', of: ({ username }) => username, whole: true },
        { title: 'NAME', of: ({ displayName }) => displayName, main: true },
      ]),
    );
  }
}
