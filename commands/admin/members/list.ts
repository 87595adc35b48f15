import { listFlags, listing, ListCommand } from '../../../src/cli/kit/list-command.ts';
import { memberColumns } from '../../../src/cli/accounts/member-columns.ts';
import { members } from '../../../src/contract/accounts/members.ts';

export default class List extends ListCommand {
  static override summary = 'List members, oldest first';
  static override examples = [
    '<%= config.bin %> admin members list',
    '<%= config.bin %> admin members list --query alice --status active --json',
  ];
  static override flags = listFlags(members.list);

  protected override readonly shows = listing(members.list, 'members', memberColumns);
}
