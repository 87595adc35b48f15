import { Args, Flags } from '@oclif/core';
import { operations, targetAt, type OperationWord } from '../../../src/cli/files/approvals.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { wrapSaid } from '../../../src/cli/kit/wrap-words.ts';
import { perform } from '../../../src/client/perform.ts';
import { filevault } from '../../../src/contract/filevault.ts';

export default class Request extends ApiCommand {
  static override summary = 'Ask others to approve what you want to do';
  static override description = 'When enough of them have, do it as usual. The request ends after 7 days.';
  static override examples = [
    '<%= config.bin %> files approval request destroy Work:/secret.pdf --reason "Too old"',
    '<%= config.bin %> files approval request share Work:/plan.pdf --into Work:/public',
  ];
  static override args = {
    operation: Args.string({ description: 'what you want to do', options: Object.keys(operations), required: true }),
    target: Args.string({ description: 'path of a file or folder, or name of a container', required: true }),
  };
  static override flags = {
    into: Flags.string({ description: 'to move it to this folder: path of the folder', helpValue: 'FOLDER' }),
    reason: Flags.string({ description: 'why, for those who decide', helpValue: 'TEXT' }),
    approvals: Flags.integer({ description: 'how many have to approve it', helpValue: 'N', min: 1 }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Request);
    await using client = await this.connect(flags);
    const approval = await perform(client, filevault.requestApproval, {
      operationType: operations[args.operation as OperationWord],
      ...(await targetAt(client, args.target, flags.into)),
      ...(flags.reason !== undefined && { reason: flags.reason }),
      ...(flags.approvals !== undefined && { requiredApprovals: flags.approvals }),
    });
    const text = `Asked. Others approve it with: conclave files approval approve ${approval.id}`;
    await this.answer(approval, ({ width }) => wrapSaid(text, width));
  }
}
