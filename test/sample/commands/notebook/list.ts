import { listFlags, listing, ListCommand } from '../../../../src/cli/kit/list-command.ts';
import { notebook } from '../../notebook.ts';

export default class List extends ListCommand {
  static override summary = 'List your notes by their titles';
  static override examples = ['<%= config.bin %> notebook list --limit 20'];
  static override flags = listFlags(notebook.list);

  protected override readonly shows = listing(notebook.list, 'notes', [
    { title: 'TITLE', of: ({ title }) => title, main: true },
    { title: 'ID', of: ({ id }) => id, spare: true },
  ]);
}
