import { Args, Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { expiryOf } from '../../../src/cli/kit/expiry.ts';
import { accounts } from '../../../src/contract/accounts.ts';
import { scopes, type Scope } from '../../../src/contract/scopes.ts';

export default class Create extends ApiCommand {
  static override summary = 'Make an app password for one program; it is shown only once';
  static override description =
    'The program signs in with your username or e-mail address and this password. It reaches only what its scopes allow. It stays valid when you change your own password.';
  static override examples = [
    '<%= config.bin %> account app-password create Telephone --scope mail',
    '<%= config.bin %> account app-password create "Old laptop" --scope mail --scope calendar --expires 90d',
  ];
  static override args = { name: Args.string({ description: 'name for the list', required: true }) };
  static override flags = {
    scope: Flags.option({
      options: Object.keys(scopes) as Scope[],
      description: 'what the program may reach; may be given several times',
      multiple: true,
      multipleNonGreedy: true,
      required: true,
    })(),
    expires: Flags.string({ description: '90d, 12h, a date, or never', default: 'never', helpValue: 'WHEN' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Create);
    const expiresAt = expiryOf(flags.expires, Date.now());
    await using client = await this.connect(flags);
    const made = await perform(client, accounts.createAppPassword, {
      name: args.name,
      scopes: [...new Set(flags.scope)],
      ...(expiresAt !== undefined && { expiresAt }),
    });
    this.say('Enter this password in the program, with your username or e-mail address. It is not shown again.');
    await this.answer(made, () => made.password);
  }
}
