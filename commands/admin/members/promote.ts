import { MemberCommand } from '../../../src/cli/accounts/member-command.ts';
import { members } from '../../../src/contract/accounts/members.ts';

export default class Promote extends MemberCommand {
  static override summary = 'Make a member an administrator';
  static override examples = ['<%= config.bin %> admin members promote alice'];

  protected override readonly operation = members.promote;
  protected override readonly gives = true;
}
