import { Flags } from '@oclif/core';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { flagsOf } from '../../../src/cli/kit/flags.ts';
import { listMembers, memberTable } from '../../../src/cli/accounts/member-list.ts';
import { members } from '../../../src/contract/members.ts';

export default class List extends ApiCommand {
  static override summary = 'List members, oldest first';
  static override examples = [
    '<%= config.bin %> admin members list',
    '<%= config.bin %> admin members list --query alice --status active --json',
  ];
  static override flags = {
    ...flagsOf(members.list, { omit: ['limit', 'cursor'] }),
    limit: Flags.integer({ description: 'at most so many', default: 200, min: 1, helpValue: 'N', exclusive: ['all'] }),
    all: Flags.boolean({ description: 'all of them' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(List);
    await using client = await this.connect(flags);
    const { limit: _, ...filter } = await this.inputFor(members.list, flags);
    const found = await listMembers(client, filter, flags.all ? Number.POSITIVE_INFINITY : flags.limit);
    await this.answer(found, (screen) => memberTable(screen, found.members));
    if (found.hasMore) this.say(`There are more: --limit, --all.`);
  }
}
