import { Args, Flags } from '@oclif/core';
import { perform } from '../src/client/perform.ts';
import { ApiCommand } from '../src/cli/kit/command.ts';
import { flagsOf } from '../src/cli/kit/flags.ts';
import { keySignIn } from '../src/cli/kit/forms.ts';
import { isGiven } from '../src/cli/kit/input.ts';
import {
  describeSignIn,
  endEarlier,
  keepSession,
  laterCommands,
  signedInAs,
  trustFlag,
} from '../src/cli/accounts/sign-in.ts';
import { accounts } from '../src/contract/accounts.ts';

export default class Login extends ApiCommand {
  static override summary = 'Sign in, with a password or by key';
  static override description =
    'Later commands use this sign-in. It is stored in a file that only you can read. A sign-in by key needs no password, but cannot decrypt what is encrypted to you. Turn it on first with: conclave account settings --direct-challenge';
  static override examples = [
    '<%= config.bin %> login alice',
    '<%= config.bin %> login alice --server https://home.example --password-file ./password',
    '<%= config.bin %> login alice --key',
  ];
  static override args = { username: Args.string({ description: 'username or e-mail address' }) };
  static override flags = {
    ...flagsOf(accounts.login, { omit: ['username'] }),
    key: Flags.boolean({ description: 'sign in by key, without a password' }),
    ...flagsOf(keySignIn, { omit: ['username'] }),
    ...trustFlag,
    'print-token': Flags.boolean({ description: 'print the token for CONCLAVE_TOKEN, and store nothing' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Login);
    await using client = await this.connect(flags);
    const asked = { given: args, argument: 'username' };
    const byKey = isGiven(keySignIn, flags);
    let token: string;
    if (byKey) {
      const { username, key } = await this.inputFor(keySignIn, flags, {
        ...asked,
      });
      const { directLogin } = await import('../src/client/direct-login.ts');
      token = await this.waitFor('Signing in', directLogin(client, username, key));
    } else {
      const input = await this.inputFor(accounts.login, flags, asked);
      token = (await this.waitFor('Signing in', perform(client, accounts.login, input))).data.token;
    }
    if (flags['print-token']) return await this.answer({ ...signedInAs(token, client), token }, () => token);
    await endEarlier(client);
    await keepSession(client, token, byKey);
    await this.answer(signedInAs(token, client), (screen) => describeSignIn(screen, client, token));
    for (const text of laterCommands(flags)) this.say(text);
  }
}
