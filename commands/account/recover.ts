import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { describeSignIn, keepSession, laterCommands, signedInAs, trustFlag } from '../../src/cli/accounts/sign-in.ts';
import { accounts } from '../../src/contract/accounts.ts';

export default class Recover extends ApiCommand {
  static override summary = 'Set a new password with the recovery phrase, and end every session';
  static override description =
    'To use a backup code instead of the phrase: `conclave account backup-codes --use`. This needs a sign-in: on a machine that is still signed in, or with `conclave login --key` if you have turned that on.';
  static override examples = ['<%= config.bin %> account recover --email alice@home.example'];
  static override flags = { ...flagsOf(accounts.recover), ...trustFlag };

  async run(): Promise<void> {
    const { flags } = await this.parse(Recover);
    await using client = await this.connect(flags);
    const input = await this.inputFor(accounts.recover, flags, { fresh: ['new-password'] });
    const { data } = await this.waitFor('Recovering the account', perform(client, accounts.recover, input));
    await keepSession(client, data.token);
    const { token, ...recovered } = data;
    await this.answer({ ...signedInAs(token, client), ...recovered }, (screen) =>
      ['Password changed. Every earlier session has ended.', describeSignIn(screen, client, token)].join('\n'),
    );
    for (const text of laterCommands(flags)) this.say(text);
  }
}
