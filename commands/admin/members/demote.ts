import { MemberCommand } from '../../../src/cli/accounts/member-command.ts';
import { members } from '../../../src/contract/accounts/members.ts';

export default class Demote extends MemberCommand {
  static override summary = 'Make an administrator an ordinary member';
  static override examples = ['<%= config.bin %> admin members demote alice'];

  protected override readonly operation = members.demote;
}
