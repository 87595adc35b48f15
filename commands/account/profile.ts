import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { isGiven } from '../../src/cli/kit/input.ts';
import { describeProfile } from '../../src/cli/accounts/account-details.ts';
import { accounts } from '../../src/contract/accounts.ts';

export default class Profile extends ApiCommand {
  static override summary = 'Show the profile and the energy account, or change how your data is stored';
  static override examples = [
    '<%= config.bin %> account profile',
    '<%= config.bin %> account profile --min-redundancy 5 --preferred-regions eu --preferred-regions us',
  ];
  static override flags = flagsOf(accounts.updateProfile);

  async run(): Promise<void> {
    const { flags } = await this.parse(Profile);
    await using client = await this.connect(flags);
    const { data } = isGiven(accounts.updateProfile, flags)
      ? await perform(client, accounts.updateProfile, await this.inputFor(accounts.updateProfile, flags))
      : await perform(client, accounts.profile, {});
    await this.answer(data, (screen) => describeProfile(screen, data));
  }
}
