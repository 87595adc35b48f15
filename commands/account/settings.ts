import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { isGiven } from '../../src/cli/kit/input.ts';
import { describeSettings } from '../../src/cli/accounts/account-details.ts';
import { accounts } from '../../src/contract/accounts.ts';

export default class Settings extends ApiCommand {
  static override summary = 'Show or change the display settings';
  static override examples = [
    '<%= config.bin %> account settings',
    '<%= config.bin %> account settings --timezone Europe/Berlin --no-dark-mode',
  ];
  static override flags = flagsOf(accounts.updateSettings);

  async run(): Promise<void> {
    const { flags } = await this.parse(Settings);
    await using client = await this.connect(flags);
    if (isGiven(accounts.updateSettings, flags)) {
      await perform(client, accounts.updateSettings, await this.inputFor(accounts.updateSettings, flags));
    }
    const { settings } = await perform(client, accounts.settings, {});
    await client.noteTimezone(settings.timezone);
    await this.answer(settings, (screen) => describeSettings(screen, settings));
  }
}
