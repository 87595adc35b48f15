import { perform } from '../src/client/perform.ts';
import { ApiCommand } from '../src/cli/kit/command.ts';
import { details } from '../src/cli/kit/table.ts';
import { moment } from '../src/cli/kit/screen.ts';
import { accounts } from '../src/contract/accounts.ts';

export default class Whoami extends ApiCommand {
  static override summary = 'Show who is signed in, and where';
  static override examples = ['<%= config.bin %> whoami', '<%= config.bin %> whoami --json'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Whoami);
    await using client = await this.connect(flags);
    const { user } = await perform(client, accounts.verify, {});
    await client.noteTimezone(user.timezone);
    await this.answer({ server: client.connection.server, ...user }, (screen) =>
      details(screen, [
        ['Username', user.username],
        ['E-mail', user.email],
        ['Id', user.id],
        ['Role', user.roles.map(({ name }) => name).join(', ')],
        ['Server', client.place],
        ['Signed in', moment(screen, user.lastLogin)],
      ]),
    );
  }
}
