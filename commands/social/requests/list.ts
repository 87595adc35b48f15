import { ListCommand, listFlags, listing } from '../../../src/cli/kit/list-command.ts';
import { moment } from '../../../src/cli/kit/screen.ts';
import { social } from '../../../src/contract/social.ts';

export default class List extends ListCommand {
  static override summary = 'List the members who ask to follow you';
  static override examples = ['<%= config.bin %> social requests list'];
  static override flags = listFlags(social.listFollowRequests);

  protected override readonly none = 'Nobody asks to follow you.';
  protected readonly shows = listing(social.listFollowRequests, 'requests', [
    { title: 'MEMBER', of: ({ person }) => person.username, main: true },
    { title: 'ASKED', of: ({ createdAt }, screen) => moment(screen, createdAt) },
    { title: 'MESSAGE', of: ({ message }) => message, prose: true },
  ]);
}
