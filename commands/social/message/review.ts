import { Args, Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { social } from '../../../src/contract/social.ts';
import { Problem } from '../../../src/base/problem.ts';

export default class Review extends ApiCommand {
  static override summary = 'Close a report of a message';
  static override description = 'For administrators. What was done is up to you: a report changes nothing by itself.';
  static override examples = [
    '<%= config.bin %> social message review 01a207df991600112233445566778899 --dismiss',
    '<%= config.bin %> social message review 01a207df991600112233445566778899 --done',
  ];
  static override args = { report: Args.string({ description: 'id of the report', required: true }) };
  static override flags = {
    dismiss: Flags.boolean({ description: 'nothing is wrong with the message', exclusive: ['done'] }),
    done: Flags.boolean({ description: 'something was done about it' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Review);
    if (flags.dismiss === flags.done) throw new Problem('invalid', 'USAGE', 'Give either --dismiss or --done.');
    await using client = await this.connect(flags);
    const action = flags.done ? 'action' : 'dismiss';
    const reply = await perform(client, social.reviewMessageReport, { reportId: args.report, action });
    await this.answer(reply, () => `The report is ${reply.report.status}.`);
  }
}
