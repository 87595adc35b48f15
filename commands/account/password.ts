import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { accounts } from '../../src/contract/accounts.ts';

export default class Password extends ApiCommand {
  static override summary = 'Change the password and end every other session';
  static override examples = ['<%= config.bin %> account password'];
  static override flags = flagsOf(accounts.changePassword);

  async run(): Promise<void> {
    const { flags } = await this.parse(Password);
    await using client = await this.connect(flags);
    // Checks the sign-in first. Otherwise a person could choose a password for a request that is refused.
    await perform(client, accounts.verify, {});
    const input = await this.inputFor(accounts.changePassword, flags, { fresh: ['new-password'] });
    const { data } = await this.waitFor('Changing the password', perform(client, accounts.changePassword, input));
    await this.answer(data, () => 'Password changed. Every other session has ended.');
  }
}
