import { ApiCommand } from '../../src/cli/kit/command.ts';
import { table } from '../../src/cli/kit/table.ts';
import { bookColumns } from '../../src/cli/contacts/contact-views.ts';
import { perform } from '../../src/client/perform.ts';
import { contacts } from '../../src/contract/contacts.ts';

export default class Books extends ApiCommand {
  static override summary = 'List your address books';
  static override description =
    'The last one, Members, has whom you follow, and who is in small groups, channels and hubs with you.';
  static override examples = ['<%= config.bin %> contacts books'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Books);
    await using client = await this.connect(flags);
    const reply = await perform(client, contacts.listBooks, {});
    await this.answer(reply, (screen) => table(screen, reply.books, bookColumns));
  }
}
