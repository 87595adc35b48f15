import { ListCommand, listFlags, listing } from '../../src/cli/kit/list-command.ts';
import { moment } from '../../src/cli/kit/screen.ts';
import { social } from '../../src/contract/social.ts';

export default class Filters extends ListCommand {
  static override summary = 'List your filters of words';
  static override examples = ['<%= config.bin %> social filters'];
  static override flags = listFlags(social.listFilters);

  protected override readonly none = 'You have no filters.';
  protected readonly shows = listing(social.listFilters, 'filters', [
    { title: 'ID', of: ({ _id }) => _id },
    { title: 'PHRASE', of: ({ phrase }) => phrase, main: true },
    { title: 'DOES', of: ({ action }) => action, whole: true },
    { title: 'IN', of: ({ contexts }) => contexts.join(', ') },
    {
      title: 'ENDS',
      of: ({ expiresAt }, screen) => (expiresAt === undefined ? 'never' : moment(screen, expiresAt)),
      whole: true,
    },
  ]);
}
