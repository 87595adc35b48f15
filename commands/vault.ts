import { describeTopic } from '../src/cli/kit/topic-help.ts';
import { isInteractive } from '../src/cli/kit/terminal.ts';
import { unknownCommand } from '../src/cli/kit/unknown-command.ts';
import { VaultCommand } from '../src/cli/passvault/vault-command.ts';
import { Problem } from '../src/base/problem.ts';

export default class Vault extends VaultCommand {
  static override summary = 'Browse your vaults on the terminal';
  static override description =
    'Type to filter a list, press Enter to select, and Escape to go back. Secrets are shown on a separate screen that leaves nothing behind. Without a terminal, the commands are listed.';
  static override examples = ['<%= config.bin %> vault'];
  static override strict = false;

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Vault);
    if (argv.length > 0) throw unknownCommand(['vault', ...(argv as string[])], this.config);
    if (!isInteractive(this.terminal) || this.wantsJson) {
      if (!this.wantsJson) this.say(describeTopic('vault', this.config));
      throw new Problem('invalid', 'USAGE', 'There is no terminal to browse on. Use one of the commands above.');
    }
    const { browse } = await import('../src/cli/passvault/browse/browse.ts');
    await browse({
      terminal: this.terminal,
      drawn: async (draw) => await this.drawn(draw),
      use: async (work) => {
        await using session = await this.session(flags);
        return await work(session);
      },
      say: (message) => this.say(message),
      warn: (message) => this.warnOf(message),
    });
  }
}
