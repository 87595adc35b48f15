import { ApiCommand } from '../../src/cli/kit/command.ts';
import { details } from '../../src/cli/kit/table.ts';
import { profilePairs } from '../../src/cli/social/person-columns.ts';
import { perform } from '../../src/client/perform.ts';
import { social } from '../../src/contract/social.ts';

export default class Join extends ApiCommand {
  static override summary = 'Come back to the social network after you left it';
  static override description = 'Your profile is empty. It is possible when all that you had is erased.';
  static override examples = ['<%= config.bin %> social join'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Join);
    await using client = await this.connect(flags);
    const profile = await perform(client, social.join, {});
    await this.answer(profile, (screen) => details(screen, profilePairs(screen, profile)));
  }
}
