import { ListCommand, listFlags, listing } from '../../../src/cli/kit/list-command.ts';
import { moment } from '../../../src/cli/kit/screen.ts';
import { social } from '../../../src/contract/social.ts';

export default class List extends ListCommand {
  static override summary = 'List reports of posts, the oldest first';
  static override description = 'Administrators see all, moderators those of their hubs, and everybody their own.';
  static override examples = ['<%= config.bin %> social reports list --status pending'];
  static override flags = listFlags(social.listReports);

  protected override readonly none = 'There are no reports.';
  protected readonly shows = listing(social.listReports, 'reports', [
    { title: 'ID', of: (report) => report['_id'], whole: true },
    { title: 'POST', of: ({ postId }) => postId, whole: true },
    { title: 'STATUS', of: ({ status }) => status },
    { title: 'MADE', of: ({ createdAt }, screen) => moment(screen, createdAt), spare: true },
    { title: 'REASON', of: ({ reason }) => reason },
  ]);
}
