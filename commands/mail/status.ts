import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { moment } from '../../src/cli/kit/screen.ts';
import { table } from '../../src/cli/kit/table.ts';
import { messageArgument, messageIdOf } from '../../src/cli/mail/find-message.ts';
import { mailSending } from '../../src/contract/mail/sending.ts';

export default class Status extends ApiCommand {
  static override summary = 'Show what became of a message that you sent, for each recipient';
  static override description =
    'DELIVERED means that the node of the recipient has signed it. A failure comes with its reason.';
  static override examples = ['<%= config.bin %> mail status 01a1fcb906fb'];
  static override args = { message: Args.string({ description: messageArgument, required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Status);
    await using client = await this.connect(flags);
    const messageId = await messageIdOf(client, args.message);
    const reply = await perform(client, mailSending.showDeliveries, { messageId });
    await this.answer(reply, (screen) =>
      table(screen, reply.deliveries, [
        { title: 'RECIPIENT', main: true, of: ({ address }) => address },
        { title: '', of: ({ kind }) => kind },
        { title: 'STATUS', whole: true, of: ({ status }) => status },
        { title: 'SINCE', spare: true, of: ({ updatedAt }) => moment(screen, updatedAt) },
        { title: 'REASON', of: ({ reason }) => reason ?? '' },
      ]),
    );
    if (reply.deliveries.length === 0) this.say('You did not send this message.');
  }
}
