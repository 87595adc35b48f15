import { ApiCommand } from '../../src/cli/kit/command.ts';
import { allLists, categoryFlag, listTable } from '../../src/cli/social/lists.ts';

export default class Lists extends ApiCommand {
  static override summary = 'List your lists, or your categories';
  static override examples = ['<%= config.bin %> social lists', '<%= config.bin %> social lists --category'];
  static override flags = categoryFlag;

  async run(): Promise<void> {
    const { flags } = await this.parse(Lists);
    await using client = await this.connect(flags);
    const lists = await allLists(client, flags.category);
    await this.answer({ lists }, (screen) => listTable(screen, lists));
    if (lists.length === 0) this.say(flags.category ? 'You have no categories.' : 'You have no lists.');
  }
}
