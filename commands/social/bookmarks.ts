import { ListCommand, listFlags, listing } from '../../src/cli/kit/list-command.ts';
import { moment } from '../../src/cli/kit/screen.ts';
import { social } from '../../src/contract/social.ts';

export default class Bookmarks extends ListCommand {
  static override summary = 'List the posts that you bookmarked, the latest bookmark first';
  static override examples = ['<%= config.bin %> social bookmarks --limit 50'];
  static override flags = listFlags(social.listBookmarks, 20);

  protected override readonly none = 'You have no bookmarks.';
  protected readonly shows = listing(social.listBookmarks, 'posts', [
    { title: 'ID', of: ({ _id }) => _id, whole: true },
    { title: 'BY', of: ({ authorUsername }) => authorUsername, whole: true },
    { title: 'AT', of: ({ createdAt }, screen) => moment(screen, createdAt), whole: true, spare: true },
    {
      title: 'TEXT',
      of: ({ content, contentWarning }) =>
        (contentWarning === '' ? content : `[${contentWarning}]`).replaceAll(/\s+/g, ' '),
      main: true,
    },
  ]);
}
