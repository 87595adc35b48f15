import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { moment } from '../../src/cli/kit/screen.ts';
import { table } from '../../src/cli/kit/table.ts';
import { messageArgument, messageIdOf } from '../../src/cli/mail/find-message.ts';
import { nameText } from '../../src/cli/mail/mailboxes.ts';
import { mailReading } from '../../src/contract/mail/reading.ts';

export default class Thread extends ApiCommand {
  static override summary = 'List the messages of a thread, the oldest first';
  static override description = 'They belong together by what they answer, never by their subject.';
  static override examples = ['<%= config.bin %> mail thread 01a1fcb906fb'];
  static override args = { message: Args.string({ description: messageArgument, required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Thread);
    await using client = await this.connect(flags);
    const messageId = await messageIdOf(client, args.message);
    const reply = await perform(client, mailReading.showThread, { messageId });
    await this.answer(reply, (screen) =>
      table(screen, reply.messages, [
        { title: 'MESSAGE', whole: true, of: ({ id }) => id.slice(0, 12) },
        { title: '', whole: true, of: ({ read }) => (read ? ' ' : '*') },
        { title: 'DATE', whole: true, of: ({ date }) => moment(screen, date) },
        { title: 'FROM', of: ({ from }) => nameText(from) },
        { title: 'SUBJECT', main: true, of: ({ subject }) => subject },
        { title: 'TEXT', spare: true, of: ({ preview }) => preview },
      ]),
    );
  }
}
