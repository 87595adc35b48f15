import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { recoveryPhrase } from '../../src/cli/accounts/recovery-phrase.ts';
import { describeSignIn, endEarlier, laterCommands, signedInAs, trustFlag } from '../../src/cli/accounts/sign-in.ts';
import { accounts } from '../../src/contract/accounts.ts';

export default class Register extends ApiCommand {
  static override summary = 'Register as a member, and sign in';
  static override description =
    'The server makes a recovery phrase of 24 words and shows it once, unless you give your own. Whoever has the phrase has the account. Without it, nobody can replace a forgotten password.';
  static override examples = [
    '<%= config.bin %> account register',
    '<%= config.bin %> account register --server https://home.example --username alice --email alice@home.example --password-file ./password',
  ];
  static override flags = { ...flagsOf(accounts.register), ...trustFlag };

  async run(): Promise<void> {
    const { flags } = await this.parse(Register);
    await using client = await this.connect(flags);
    const input = await this.inputFor(accounts.register, flags, {
      fresh: ['password'],
    });
    const { data } = await this.waitFor('Making your keys', perform(client, accounts.register, input));
    await endEarlier(client);
    await client.keep(data.token);
    const { token, ...registered } = data;
    await this.answer({ ...signedInAs(token, client), ...registered }, (screen) =>
      [describeSignIn(screen, client, token), ...recoveryPhrase(screen, data.mnemonic)].join('\n'),
    );
    for (const text of laterCommands(flags)) this.say(text);
  }
}
