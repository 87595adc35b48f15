import { Flags } from '@oclif/core';
import { collectPages } from '../../src/client/pages.ts';
import { approvalTable } from '../../src/cli/files/approvals.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Approval extends ApiCommand {
  static override summary = 'List requests for approval that you made or may decide on';
  static override examples = ['<%= config.bin %> files approval --waiting'];
  static override flags = {
    waiting: Flags.boolean({ description: 'only those that wait for your decision' }),
    mine: Flags.boolean({ description: 'only those that you made', exclusive: ['waiting'] }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Approval);
    await using client = await this.connect(flags);
    const filter = {
      ...(flags.waiting && { waitingForMe: 'true' as const }),
      ...(flags.mine && { mine: 'true' as const }),
    };
    const { items: approvals } = await collectPages(client, filevault.listApprovals, filter, 'approvals');
    await this.answer({ approvals }, (screen) => approvalTable(screen, approvals));
  }
}
