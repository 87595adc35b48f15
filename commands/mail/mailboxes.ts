import { PerformCommand, performing } from '../../src/cli/kit/perform-command.ts';
import { table } from '../../src/cli/kit/table.ts';
import { mailReading } from '../../src/contract/mail/reading.ts';

export default class Mailboxes extends PerformCommand {
  static override summary = 'List your folders and labels, with how many messages they have';
  static override description = 'With --json also your address.';
  static override examples = ['<%= config.bin %> mail mailboxes'];

  protected override readonly performs = performing(mailReading.listMailboxes, ({ mailboxes }, screen) =>
    table(screen, mailboxes, [
      { title: 'NAME', main: true, of: ({ name }) => name },
      { title: 'KIND', of: ({ kind }) => kind },
      { title: 'MESSAGES', of: ({ total }) => String(total) },
      { title: 'UNREAD', of: ({ unread }) => String(unread) },
    ]),
  );
}
