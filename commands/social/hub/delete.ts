import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { hubArgument, hubNamed, yesFlag } from '../../../src/cli/social/hub-named.ts';
import { social } from '../../../src/contract/social.ts';

export default class Delete extends ApiCommand {
  static override summary = 'Delete your hub, and the hubs below it';
  static override description = 'All memberships end. Posts that are in no other hub stay with their authors alone.';
  static override examples = ['<%= config.bin %> social hub delete garden'];
  static override args = hubArgument;
  static override flags = yesFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Delete);
    await using client = await this.connect(flags);
    const { id, slug, memberCount } = await hubNamed(client, args.hub);
    await confirmed(
      this.terminal,
      flags.yes,
      escapeForTerminal(`Delete the hub ${slug} with ${memberCount} members for good?`),
    );
    await perform(client, social.deleteHub, { id });
    await this.answer({ deleted: id }, () => escapeForTerminal(`Deleted the hub ${slug}.`));
  }
}
