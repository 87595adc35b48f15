import { MemberCommand } from '../../../src/cli/accounts/member-command.ts';
import { members } from '../../../src/contract/accounts/members.ts';

export default class Suspend extends MemberCommand {
  static override summary = 'Suspend a member: end all sessions and refuse sign-ins';
  static override examples = ['<%= config.bin %> admin members suspend alice'];

  protected override readonly operation = members.suspend;
}
