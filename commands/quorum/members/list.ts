import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { memberColumns } from '../../../src/cli/quorum/member-views.ts';
import { quorumMembers } from '../../../src/contract/quorum/members.ts';

export default class List extends ApiCommand {
  static override summary = 'List the members of the quorum';
  static override examples = ['<%= config.bin %> quorum members list'];

  async run(): Promise<void> {
    const { flags } = await this.parse(List);
    await using client = await this.connect(flags);
    const { members } = await perform(client, quorumMembers.listMembers, {});
    await this.answer({ members }, (screen) => table(screen, members, memberColumns));
  }
}
