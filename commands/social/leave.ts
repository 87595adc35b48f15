import { Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { perform } from '../../src/client/perform.ts';
import { accounts } from '../../src/contract/accounts.ts';
import { social } from '../../src/contract/social.ts';

export default class Leave extends ApiCommand {
  static override summary = 'Erase all that you have in the social network';
  static override description =
    'It cannot be undone. Your account stays. To keep a copy, run conclave social archive before.';
  static override examples = ['<%= config.bin %> social leave'];
  static override flags = {
    ...flagsOf(social.leave, { omit: ['id', 'userId'] }),
    yes: Flags.boolean({ description: 'do not ask' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Leave);
    await using client = await this.connect(flags);
    const { user } = await perform(client, accounts.verify, {});
    const question = `Erase all posts, likes and follows of ${user.username} for good?`;
    await confirmed(this.terminal, flags['yes'], question);
    const input = await this.inputFor(social.leave, flags, { given: { id: user.id } });
    await this.waitFor('Leaving', perform(client, social.leave, input));
    await this.answer({ left: user.id }, () => 'You left the social network. What you had is being erased.');
  }
}
