import { MemberCommand } from '../../../src/cli/accounts/member-command.ts';
import { members } from '../../../src/contract/accounts/members.ts';

export default class Restore extends MemberCommand {
  static override summary = 'Let a suspended member sign in again';
  static override examples = ['<%= config.bin %> admin members restore alice'];

  protected override readonly operation = members.restore;
}
