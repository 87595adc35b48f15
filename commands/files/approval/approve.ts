import { Args } from '@oclif/core';
import { approvalText } from '../../../src/cli/files/approvals.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { perform } from '../../../src/client/perform.ts';
import { filevault } from '../../../src/contract/filevault.ts';

export default class Approve extends ApiCommand {
  static override summary = 'Approve what somebody else wants to do';
  static override examples = ['<%= config.bin %> files approval approve 01a20d9c0ae89e7c8e967e7710f9d355'];
  static override args = { id: Args.string({ description: 'id of the request', required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Approve);
    await using client = await this.connect(flags);
    const approval = await perform(client, filevault.approve, { id: args.id });
    await this.answer(approval, () => approvalText(approval));
  }
}
