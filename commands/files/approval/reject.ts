import { Args, Flags } from '@oclif/core';
import { approvalText } from '../../../src/cli/files/approvals.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { perform } from '../../../src/client/perform.ts';
import { filevault } from '../../../src/contract/filevault.ts';

export default class Reject extends ApiCommand {
  static override summary = 'Reject what somebody else wants to do';
  static override examples = [
    '<%= config.bin %> files approval reject 01a20d9c0ae89e7c8e967e7710f9d355 --reason "We need it"',
  ];
  static override args = { id: Args.string({ description: 'id of the request', required: true }) };
  static override flags = {
    reason: Flags.string({ description: 'why, for whoever asked', helpValue: 'TEXT', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Reject);
    await using client = await this.connect(flags);
    const approval = await perform(client, filevault.reject, { id: args.id, reason: flags.reason });
    await this.answer(approval, () => approvalText(approval));
  }
}
