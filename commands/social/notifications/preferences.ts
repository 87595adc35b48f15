import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { preferenceFlags, storedPreferences, storePreferences } from '../../../src/cli/social/chosen-preferences.ts';
import { preferencesText } from '../../../src/cli/social/notification-views.ts';

export default class Preferences extends ApiCommand {
  static override summary = 'Show or choose what you are told, by which channels, and when';
  static override description =
    'What is left out stays as it is. A notification comes by each channel that its category has and that is on.';
  static override examples = [
    '<%= config.bin %> social notifications preferences',
    '<%= config.bin %> social notifications preferences --no-email --category files=in_app',
    '<%= config.bin %> social notifications preferences --quiet 22:00-07:00 --zone Europe/Berlin',
    '<%= config.bin %> social notifications preferences --dnd 8h',
  ];
  static override flags = preferenceFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(Preferences);
    await using client = await this.connect(flags);
    const preferences = (await storePreferences(client, flags)) ?? (await storedPreferences(client));
    if (preferences === undefined) {
      await this.answer(null, () => 'You have chosen nothing: you are told everything, at any time.');
      return;
    }
    await this.answer(preferences, (screen) => preferencesText(screen, preferences));
  }
}
