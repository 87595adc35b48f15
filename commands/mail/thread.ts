import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { moment } from '../../src/cli/kit/screen.ts';
import { table } from '../../src/cli/kit/table.ts';
import { messageNamed } from '../../src/cli/mail/find-message.ts';
import { messageArgument } from '../../src/cli/mail/message-argument.ts';
import { idColumn, nameIn } from '../../src/cli/mail/mail-columns.ts';
import { mail } from '../../src/contract/mail.ts';

export default class Thread extends ApiCommand {
  static override summary = 'List the messages that belong together with a message, the oldest first';
  static override examples = ['<%= config.bin %> mail thread 01a207df9916'];
  static override args = messageArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Thread);
    await using client = await this.connect(flags);
    const messageId = await messageNamed(client, await this.screen(), args.message);
    const thread = await perform(client, mail.showThread, { messageId });
    await this.answer(thread, (screen) =>
      table(screen, thread.messages, [
        idColumn(thread.messages),
        { title: 'DATE', spare: true, of: ({ date }) => moment(screen, date) },
        { title: 'FROM', of: ({ from }, { width }) => (Number.isFinite(width) ? nameIn(from) : from.address) },
        { title: 'FOLDER', spare: true, of: ({ folder }) => folder },
        { title: 'TEXT', main: true, of: ({ preview }) => preview },
      ]),
    );
  }
}
