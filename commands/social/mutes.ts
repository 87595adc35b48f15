import { ListCommand, listFlags, listing } from '../../src/cli/kit/list-command.ts';
import { personColumns } from '../../src/cli/social/person-columns.ts';
import { social } from '../../src/contract/social.ts';

export default class Mutes extends ListCommand {
  static override summary = 'List the members whom you muted';
  static override examples = ['<%= config.bin %> social mutes'];
  static override flags = listFlags(social.listMutes);

  protected override readonly none = 'You muted nobody.';
  protected readonly shows = listing(social.listMutes, 'people', personColumns);
}
