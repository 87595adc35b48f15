import { ListCommand, listFlags, listing } from '../../src/cli/kit/list-command.ts';
import { personColumns } from '../../src/cli/social/person-columns.ts';
import { social } from '../../src/contract/social.ts';

export default class Blocks extends ListCommand {
  static override summary = 'List the members whom you blocked';
  static override examples = ['<%= config.bin %> social blocks'];
  static override flags = listFlags(social.listBlocks);

  protected override readonly none = 'You blocked nobody.';
  protected readonly shows = listing(social.listBlocks, 'people', personColumns);
}
