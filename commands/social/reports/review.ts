import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { social } from '../../../src/contract/social.ts';

export default class Review extends ApiCommand {
  static override summary = 'Close a report';
  static override description = 'dismiss: nothing is wrong with the post; action: something was done about it.';
  static override examples = ['<%= config.bin %> social reports review 01a207df991600112233445566778899 dismiss'];
  static override args = {
    report: Args.string({ description: 'id of the report', required: true }),
    action: Args.string({ description: 'the outcome', options: ['dismiss', 'action'], required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Review);
    await using client = await this.connect(flags);
    const action = args.action as 'dismiss' | 'action';
    const reply = await perform(client, social.reviewReport, { reportId: args.report, action });
    await this.answer(reply, () => `The report is ${reply.report.status}.`);
  }
}
