import { MemberCommand } from '../../../src/cli/accounts/member-command.ts';
import { members } from '../../../src/contract/accounts/members.ts';

export default class Show extends MemberCommand {
  static override summary = 'Show a member';
  static override examples = ['<%= config.bin %> admin members show alice'];

  protected override readonly operation = members.show;
}
