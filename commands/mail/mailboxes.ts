import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { table } from '../../src/cli/kit/table.ts';
import { mail } from '../../src/contract/mail.ts';

export default class Mailboxes extends ApiCommand {
  static override summary = 'List your folders and labels, and show your address';
  static override examples = ['<%= config.bin %> mail mailboxes'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Mailboxes);
    await using client = await this.connect(flags);
    const reply = await perform(client, mail.listMailboxes, {});
    await this.answer(reply, (screen) =>
      table(screen, reply.mailboxes, [
        { title: 'NAME', main: true, of: ({ name }) => name },
        { title: 'KIND', of: ({ kind }) => kind },
        { title: 'MESSAGES', of: ({ total }) => String(total) },
        { title: 'UNREAD', of: ({ unread }) => String(unread) },
      ]),
    );
    this.say(`Your address is ${reply.address}.`);
  }
}
